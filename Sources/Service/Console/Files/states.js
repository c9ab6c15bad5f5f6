// Loading, empty, error and progress.
import { h, replace } from './dom.js';
import { state } from './state.js';
import { t } from './texts.js';

export const loading = () => h('div', { class: 'skeleton', role: 'status' }, h('span', { class: 'visually-hidden' }, t('loading')), h('i'), h('i'), h('i'));
export const empty = (text) => h('p', { class: 'empty' }, text);

/** An error with a way to continue, as the whole page or as a part of it. */
export function failure(error, retry, { isPage = false } = {}) {
    const [title, text] = error.status === 0 ? [t('offline.title'), t('offline.text')]
        : error.status === 403 ? [t('forbidden.title'), error.message]
        : error.status === 404 ? [t('missing.title'), error.message] : [t('error.title'), error.message];
    return h('div', { class: 'failure', role: 'alert' }, h(isPage ? 'h1' : 'h2', {}, title), h('p', {}, text),
        retry && h('button', { type: 'button', onclick: retry }, t('retry')));
}

/** The number of parts that load or wait to be shown, and the changes of those that wait. */
let unfinished = 0;
const changes = [];
let timer;

/** Shows parts together: when all have loaded, or soon after the first. The browser lays out the page once for them. */
function showTogether(change) {
    changes.push(change);
    if (changes.length === unfinished) showLoaded();
    else timer ??= setTimeout(showLoaded, 50);
}

function showLoaded() {
    clearTimeout(timer);
    timer = undefined;
    unfinished -= changes.length;
    for (const change of changes.splice(0)) change();
}

/** A part of a page that loads by itself: shows a placeholder, then its content or an error. */
export function part(load, { signal, placeholder = loading(), show } = {}) {
    const box = h('div', { class: 'part', 'aria-busy': 'true' }, placeholder);
    const loaded = async () => {
        // While the reader moves through time, pages replace each other: only the one that stays asks for its parts.
        await state.stayed;
        if (signal?.aborted) return null;
        try {
            return await load();
        } catch (error) {
            if (signal?.aborted || error.name === 'AbortError') return null;
            if (error.status === 401) dispatchEvent(new Event('muniment-expired'));
            return failure(error, () => { replace(box, placeholder); run(); });
        }
    };
    const run = async () => {
        unfinished += 1;
        const content = await loaded();
        showTogether(() => {
            if (signal?.aborted) return;
            // A list of elements goes where `show` puts it.
            if (show && Array.isArray(content)) show(content);
            else replace(box, content);
            box.removeAttribute('aria-busy');
        });
    };
    run();
    return box;
}

/** The parts that are not loaded yet, by their placeholder. */
const unloaded = new WeakMap();

const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        target.replaceWith(unloaded.get(target)());
    }
});

/** A part that loads when the reader scrolls to it. */
export function later(load, options = {}) {
    const box = h('div', { class: 'part' }, options.placeholder ?? loading());
    unloaded.set(box, () => part(load, options));
    observer.observe(box);
    return box;
}

/** A cell that loads: at once in the first rows, else when the reader scrolls to it. */
export const cell = (load, place, signal, show) => (place < 12 ? part : later)(load, { signal, show, placeholder: h('span', { class: 'muted' }, '…') });

export function section(title, ...content) {
    return h('section', { class: 'card' }, h('h2', {}, title), content);
}

/** A list that shows its first items, and more on demand. `render` makes the element of some items, and gets the place of the first. */
export function chunks(items, size, render) {
    const box = h('div');
    let shown = 0;
    const more = h('button', { type: 'button', class: 'more', onclick: () => show() });
    function show() {
        const next = items.slice(shown, shown + size);
        box.insertBefore(render(next, shown), more.parentNode === box ? more : null);
        shown += next.length;
        if (shown < items.length) { replace(more, t('show.more', { n: items.length - shown })); box.append(more); } else more.remove();
    }
    show();
    return box;
}

/** Progress of long work, with a way to stop it. */
export function progress(stop) {
    const bar = h('progress', { max: '1' });
    const text = h('span', {});
    const element = h('div', { class: 'progress', role: 'status' }, bar, text, h('button', { type: 'button', onclick: stop }, t('stop')));
    element.show = (done, total, label) => {
        if (total > 0) bar.value = done / total;
        replace(text, `${label} ${done} / ${total}`);
    };
    return element;
}

/** Content of long work, with its progress and a way to stop it. `load` gets a signal and the progress. */
export function lengthy(signal, load) {
    const stop = new AbortController();
    signal.addEventListener('abort', () => stop.abort());
    const bar = progress(() => stop.abort());
    const box = h('div', {}, bar);
    load(stop.signal, bar).then((content) => replace(box, content), (error) => replace(box, h('p', { class: 'note' }, error.name === 'AbortError' ? t('stopped') : error.message)));
    return box;
}
