// The shared state of the console: the signed-in session, the store, the moment, and addresses that contain them.
import { search } from './muniment.js';

export const state = {
    /** The connection with the session of the user; null if no user is signed in. */
    client: null,
    /** What the token allows in the store: `right`, `principal`, `queriesAll`. */
    caller: null,
    stores: [],
    store: null,
    api: null,
    /** The moment of the address: a revision, a time or a day; undefined for now. */
    at: undefined,
    /** Fulfilled soon after the page was opened. */
    stayed: null,
    /** The number of the last commit. */
    head: 0,
    /** The time of the first commit and the present, in milliseconds, with the number of commits in each part between. */
    span: null,
    administrators: [],
    /** Changes that are collected on the page What if. */
    draft: [],
};

const answers = new Map();
const answerLimit = 2000;

/** Keeps the answer to a question until the store changes. */
export function cached(key, ask) {
    const full = `${state.store} ${key}`;
    if (!answers.has(full)) {
        if (answers.size >= answerLimit) answers.clear();
        const answer = ask();
        answers.set(full, answer);
        answer.catch(() => answers.delete(full));
    }
    return answers.get(full);
}

export const forget = () => answers.clear();

/** The pages of a list. `load` gets the cursor, which is undefined for the first page. */
export async function* pages(load) {
    let cursor;
    do {
        const page = await load(cursor);
        yield page;
        cursor = page.next;
    } while (cursor);
}

/** Whether the token may ask about everybody, which the lists and the audit need. */
export const seesEverything = () => state.caller?.queriesAll === true;
export const mayChange = () => state.caller?.right !== 'ask';

/** The address of a screen, at the moment of this page unless `query.at` names another. */
export function address(screen, parts = [], query = {}) {
    const inStore = state.store && state.store !== 'default' ? ['stores', state.store] : [];
    const path = [...inStore, ...(screen ? [screen] : []), ...parts].map(encodeURIComponent).join('/');
    return `/console/${path}${search({ at: state.at, ...query })}`;
}

/** Tells the console about a commit of this page, before the feed of the store does. */
export const committed = ({ head }) => dispatchEvent(new CustomEvent('muniment-head', { detail: head }));

/** Opens an address of the console. */
export function go(path, { replace = false } = {}) {
    history[replace ? 'replaceState' : 'pushState'](null, '', path);
    dispatchEvent(new Event('muniment-address'));
}

/** Opens a draft of changes, to see their effects. */
export function tryChanges(changes) {
    state.draft = changes;
    go(address('what-if'));
}

/** Reads an address: the store, the screen, and its parts. */
export function read(location) {
    const parts = location.pathname.replace(/^\/console\/?/, '').split('/').filter((part) => part !== '').map((part) => {
        try { return decodeURIComponent(part); } catch { return part; }
    });
    const query = Object.fromEntries(new URLSearchParams(location.search));
    const store = parts[0] === 'stores' ? parts.splice(0, 2)[1] : null;
    return { store, screen: parts[0] ?? '', parts: parts.slice(1), query };
}
