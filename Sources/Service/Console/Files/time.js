// Times in the reader's zone, with UTC in the title.
import { h } from './dom.js';
import { formatter, language, locale, t } from './texts.js';

const forms = {
    full: { dateStyle: 'medium', timeStyle: 'short' },
    seconds: { dateStyle: 'medium', timeStyle: 'medium' },
    day: { dateStyle: 'medium' },
    long: { dateStyle: 'long', timeStyle: 'short' },
    minute: { dateStyle: 'short', timeStyle: 'short' },
    date: { day: 'numeric', month: 'short', year: 'numeric' },
    month: { month: 'short', year: 'numeric' },
    year: { year: 'numeric' },
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

const minute = 60000;
const day = 1440 * minute;
const tickLimit = 6;

/** The distances of the ticks on an axis: the length of each in milliseconds, its format, the tick before a date, and the next tick. */
const distances = [
    ...[1, 5, 15, 30, 60, 180, 360, 720].map((n) => [n * minute, 'minute', (date) => date.setHours(0, 0, 0, 0), (date) => date.setMinutes(date.getMinutes() + n)]),
    ...[1, 2, 7, 14].map((n) => [n * day, 'date', (date) => date.setHours(-24 * ((date.getDay() + 6) % 7), 0, 0, 0), (date) => date.setDate(date.getDate() + n)]),
    ...[1, 3, 6].map((n) => [n * 30 * day, 'month', (date) => startYear(date, 1), (date) => date.setMonth(date.getMonth() + n)]),
    ...[1, 2, 5, 10, 20, 50, 100].map((n) => [n * 365 * day, 'year', (date) => startYear(date, n), (date) => date.setFullYear(date.getFullYear() + n)]),
];

function startYear(date, years) {
    date.setHours(0, 0, 0, 0);
    date.setFullYear(date.getFullYear() - (date.getFullYear() % years), 0, 1);
}

/** Returns round times in a span, at most seven, with their labels. */
export function ticks(from, to) {
    const [, form, start, advance] = distances.find(([length]) => (to - from) / length <= tickLimit) ?? distances.at(-1);
    const found = [];
    const date = new Date(from);
    start(date);
    for (; date.getTime() <= to; advance(date)) {
        if (date.getTime() >= from) found.push({ time: date.getTime(), text: format(date, form) });
    }
    return found;
}

/** Returns the present zone, such as `Europe/Berlin`. */
export const zone = () => formatter(Intl.DateTimeFormat).resolvedOptions().timeZone;
