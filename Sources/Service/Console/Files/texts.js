// Finds the texts of the reader's language. Each language is one file with the same keys.
import english from './texts.en.js';
import german from './texts.de.js';
import { append } from './dom.js';

const languages = { en: english, de: german };
export const names = { en: 'English', de: 'Deutsch' };

function preferred() {
    let kept = null;
    try { kept = localStorage.getItem('muniment-language'); } catch { /* Storage can be disabled. */ }
    return [kept, ...navigator.languages].map((language) => language?.slice(0, 2)).find((language) => language in languages) ?? 'en';
}

export let language = preferred();
/** Dates and numbers follow the reader's region if its language is the language of the texts. */
export let locale = navigator.languages.find((tag) => tag.startsWith(language)) ?? language;

export function choose(chosen) {
    try { localStorage.setItem('muniment-language', chosen); } catch { /* The choice then lasts as long as the page. */ }
    language = chosen;
    locale = navigator.languages.find((tag) => tag.startsWith(chosen)) ?? chosen;
}

/** Returns a text with its values. A text with forms for numbers uses `n`. */
export function t(key, values = {}) {
    return parts(key, values).join('');
}

/** Returns a text as a list of strings and nodes, for values that are elements. */
export function rich(key, values = {}) {
    return append(document.createDocumentFragment(), parts(key, values));
}

const formatters = new Map();

/** Returns a formatter of `Intl`. Each is made once, because that takes longer than its use. */
export function formatter(Kind, tag, options = {}) {
    const key = `${Kind.name} ${tag} ${JSON.stringify(options)}`;
    if (!formatters.has(key)) formatters.set(key, new Kind(tag, options));
    return formatters.get(key);
}

const splitTexts = new Map();

/** Splits a text at its values. The items with odd numbers are the names of values. */
function split(text) {
    if (!splitTexts.has(text)) splitTexts.set(text, text.split(/\{(\w+)\}/));
    return splitTexts.get(text);
}

function parts(key, values) {
    let text = languages[language][key] ?? languages.en[key] ?? key;
    if (typeof text === 'object') text = text[formatter(Intl.PluralRules, language).select(values.n)] ?? text.other;
    return split(text).map((part, place) => {
        if (place % 2 === 0) return part;
        const value = values[part];
        return typeof value === 'number' ? number(value) : value ?? '';
    }).filter((part) => part !== '');
}

export const has = (key) => key in languages.en;
export const number = (value) => formatter(Intl.NumberFormat, locale).format(value);
export const size = (bytes) => {
    const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];
    const place = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
    return formatter(Intl.NumberFormat, locale, { style: 'unit', unit: units[place], maximumFractionDigits: 1 }).format(bytes / 1000 ** place);
};
