// Times in the reader's zone, with UTC in the title.
import { h } from './dom.js';
import { formatter, language, locale, t } from './texts.js';

const forms = {
    full: { dateStyle: 'medium', timeStyle: 'short' },
    seconds: { dateStyle: 'medium', timeStyle: 'medium' },
    day: { dateStyle: 'medium' },
    long: { dateStyle: 'long', timeStyle: 'short' },
};

/** Returns the milliseconds of a time of the API. */
export const millis = (text) => Date.parse(text);
/** Returns a time for the API. */
export const instant = (milliseconds) => new Date(milliseconds).toISOString().replace('.000Z', 'Z');
export const format = (milliseconds, form = 'full') => formatter(Intl.DateTimeFormat, locale, forms[form]).format(milliseconds);

/** Returns a time as an element. */
export function when(text, form = 'full') {
    if (!text) return '';
    const date = new Date(text);
    return h('time', { datetime: text, title: `${text.replace('T', ' ').replace('Z', '')} UTC` }, format(date, form));
}

/** Returns the length of a span in words: `50 minutes`. */
export function length(milliseconds) {
    const units = [['year', 31557600000], ['month', 2629800000], ['day', 86400000], ['hour', 3600000], ['minute', 60000], ['second', 1000]];
    const [unit, size] = units.find(([, size]) => milliseconds >= 2 * size) ?? units.find(([, size]) => milliseconds >= size) ?? units[5];
    return formatter(Intl.NumberFormat, language, { style: 'unit', unit, unitDisplay: 'long' }).format(Math.round(milliseconds / size));
}

/** The value of an input of a local date and time, and back. */
export function local(milliseconds) {
    const date = new Date(milliseconds - new Date(milliseconds).getTimezoneOffset() * 60000);
    return date.toISOString().slice(0, 19);
}
export const fromLocal = (text) => (text ? new Date(text).getTime() : NaN);

/** Returns the milliseconds of a moment of an address; null for a revision. */
export function momentMillis(at) {
    if (at === undefined || /^\d+$/.test(at)) return null;
    const time = /^\d{4}-\d{2}-\d{2}$/.test(at) ? Date.parse(`${at}T00:00:00Z`) : Date.parse(at);
    return Number.isNaN(time) ? null : time;
}

/** Whether a moment of an address is in the future. */
export const isFuture = (at) => (momentMillis(at) ?? 0) > Date.now();

/** Returns a moment in words, for sentences. */
export function momentText(at, time) {
    if (at === undefined) return t('now');
    return time ? format(Date.parse(time), 'long') : /^\d+$/.test(at) ? t('revision.n', { n: at }) : format(momentMillis(at), 'long');
}

/** Returns the present zone, such as `Europe/Berlin`. */
export const zone = () => formatter(Intl.DateTimeFormat).resolvedOptions().timeZone;
