// The console: signs in, reads the address, and shows the screen for it.
import { h, replace } from './dom.js';
import { Muniment, pause } from './muniment.js';
import { label } from './names.js';
import { openSearch } from './search.js';
import { redirected, signIn } from './signin.js';
import './slider.js';
import { loadSpan } from './slider.js';
import { address, forget, go, read, seesEverything, state } from './state.js';
import { failure, loading } from './states.js';
import { choose, language, names as languageNames, t } from './texts.js';
import { screens } from './screens.js';

let shell;
let running;
let following;
/** The draft of a session that has ended, for the next sign-in on the same page. */
let interrupted = null;

const keepDraft = () => { interrupted = { store: state.store, principal: state.caller?.principal, draft: state.draft }; };

/** Asks for a token, and opens the address that was asked for. */
function showSignIn(message) {
    keepDraft();
    shell = null;
    following?.abort();
    state.client = null;
    forget();
    document.title = `${t('sign.in')} · Muniment`;
    replace(document.body, signIn(message, enter));
    document.querySelector('input')?.focus();
}

/** Signs in with a token, or with a call that signs a client in to an account. Then opens the address. */
async function enter(credentials) {
    const client = new Muniment(typeof credentials === 'string' ? { token: credentials } : {});
    if (typeof credentials !== 'string') await credentials(client);
    Object.assign(state, await keep(client) ?? { client, stores: await client.stores() }, { store: null, draft: [] });
    await open();
}

const keyName = 'muniment-session';

/**
 * Returns a client with a browser session in place of the token, and its stores. The key of the session is in the storage of the browser,
 * and is useless without the cookie. Null if the browser keeps neither: the token then lasts as long as the page.
 */
async function keep(client) {
    try {
        const key = await client.browserSession();
        const kept = new Muniment({ key });
        const stores = await kept.stores();
        localStorage.setItem(keyName, key);
        return { client: kept, stores };
    } catch { return null; }
}

/** Continues the session of this browser at the address of the page. */
async function resume() {
    let key;
    try { key = localStorage.getItem(keyName); } catch { /* The browser keeps no session. */ }
    if (!key) return showSignIn();
    const client = new Muniment({ key });
    try { Object.assign(state, { client, stores: await client.stores() }); } catch (error) {
        if (error.status === 401) localStorage.removeItem(keyName);
        return showSignIn(error.status === 401 ? t('session.expired') : error.status === 0 ? t('offline.text') : error.message);
    }
    await open().catch(report);
}

/** Opens the store of the address, and shows its screen. */
async function open() {
    const asked = read(location);
    const store = asked.store ?? (state.stores.includes('default') || state.stores.length === 0 ? 'default' : state.stores[0]);
    if (!asked.store && store !== 'default') {
        state.store = store;
        state.at = asked.query.at;
        history.replaceState(null, '', address(asked.screen, asked.parts, asked.query));
    }
    if (state.store !== store || !shell) {
        forget();
        Object.assign(state, { store, api: state.client.store(store), administrators: [], span: null, head: 0, draft: [] });
        state.caller = await state.api.caller();
        if (interrupted?.store === store && interrupted.principal === state.caller.principal) state.draft = interrupted.draft;
        interrupted = null;
        shell = buildShell();
        replace(document.body, shell.element);
        await loadStore();
        follow();
    }
    await show(asked);
}

async function loadStore() {
    if (seesEverything()) [{ administrators: state.administrators }] = await Promise.all([state.api.administrators(), loadSpan()]);
    shell.slider.draw();
}

function buildShell() {
    const main = h('main', { id: 'main', tabindex: '-1' }, loading());
    const slider = h('time-slider');
    const banner = h('div', { class: 'banner', role: 'status', hidden: true });
    const navigation = h('nav', { 'aria-label': t('navigation') });
    const element = h('div', { class: 'shell' },
        h('a', { class: 'skip', href: '#main', onclick: (event) => { event.preventDefault(); main.focus(); } }, t('skip')),
        h('header', {},
            h('a', { class: 'brand', href: address('') }, h('img', { src: '/console/assets/icon.svg', alt: '', width: '24', height: '24' }), 'Muniment'),
            h('button', { type: 'button', class: 'search', onclick: openSearch }, h('span', {}, t('search')), h('kbd', {}, '/')),
            state.stores.length > 1 && h('select', { 'aria-label': t('store'), onchange: (event) => go(event.target.value === 'default' ? '/console/' : `/console/stores/${encodeURIComponent(event.target.value)}/`) },
                state.stores.map((store) => h('option', { value: store, selected: store === state.store }, store))),
            h('details', { class: 'menu' }, h('summary', {}, state.caller.principal ? label(state.caller.principal) : t(`right.${state.caller.right}`)),
                h('div', {},
                    h('p', { class: 'muted' }, state.caller.credential, ' · ', t(`right.${state.caller.right}.text`)),
                    languageMenu(), themeMenu(),
                    h('button', { type: 'button', onclick: signOut }, t('sign.out'))))),
        navigation,
        h('div', { class: 'content' }, slider, banner, main));
    return { element, main, slider, banner, navigation };
}

function signOut() {
    state.client.signOut();
    try { localStorage.removeItem(keyName); } catch { /* It has no key. */ }
    state.draft = [];
    showSignIn(t('signed.out'));
}

function languageMenu() {
    return h('label', {}, t('language'), h('select', { onchange: (event) => { choose(event.target.value); keepDraft(); shell = null; document.documentElement.lang = language; open(); } },
        Object.entries(languageNames).map(([code, name]) => h('option', { value: code, selected: code === language, lang: code }, name))));
}

function themeMenu() {
    const chosen = document.documentElement.dataset.theme ?? 'auto';
    return h('label', {}, t('theme'), h('select', {
        onchange: (event) => {
            document.documentElement.dataset.theme = event.target.value;
            try { localStorage.setItem('muniment-theme', event.target.value); } catch { /* The choice then lasts as long as the page. */ }
        },
    }, ['auto', 'light', 'dark'].map((theme) => h('option', { value: theme, selected: theme === chosen }, t(`theme.${theme}`)))));
}

const menu = ['', 'object', 'person', 'activity', 'compare', 'why', 'what-if', 'incident', 'model'];
const forEverybody = ['', 'compare', 'why'];

/** Shows the revision of the moment above a page whose own answers do not contain it. */
const showRevision = (slider, signal) => slider.answer(state.at).then((answer) => signal.aborted || slider.show(answer), () => {});

/** Shows the screen of an address. The previous one stays until the new one is ready. */
async function show(asked, { isQuiet = false } = {}) {
    running?.abort();
    running = new AbortController();
    const { signal } = running;
    state.at = asked.query.at;
    state.stayed = new Promise((resolve) => { setTimeout(resolve, 16); });
    const screen = Object.hasOwn(screens, asked.screen) ? screens[asked.screen] : null;
    replace(shell.navigation, menu.filter((name) => seesEverything() || forEverybody.includes(name)).map((name) => h('a', { href: address(name), 'aria-current': name === (asked.screen === 'share' ? 'object' : asked.screen) && 'page' },
        t(`menu.${name || 'overview'}`), name === 'what-if' && state.draft.length > 0 && ` (${state.draft.length})`)));
    shell.element.querySelector('.brand').href = address('');
    shell.slider.show();
    const isSameScreen = shell.shown === location.pathname;
    shell.main.setAttribute('aria-busy', 'true');
    try {
        const made = screen ? await screen({ ...asked, signal }) : missing();
        if (signal.aborted) return;
        replace(shell.main, made.element ?? made);
        shell.slider.show(made.answer ?? null);
        if (!made.answer && state.at !== undefined && seesEverything()) showRevision(shell.slider, signal);
        document.title = `${made.title ?? t(`menu.${asked.screen || 'overview'}`)} · Muniment`;
        if (!isSameScreen && !isQuiet) { shell.main.focus({ preventScroll: true }); scrollTo(0, 0); }
        shell.shown = location.pathname;
    } catch (error) {
        if (signal.aborted || error.name === 'AbortError') return;
        if (error.status === 401) return showSignIn(t('session.expired'));
        replace(shell.main, failure(error, () => show(asked), { isPage: true }));
    } finally {
        if (!signal.aborted) shell?.main.removeAttribute('aria-busy');
    }
}

const missing = () => h('div', { class: 'failure' }, h('h1', {}, t('missing.title')), h('p', {}, h('a', { href: address('') }, t('menu.overview'))));

/** Follows the commits of the store, and shows them on the open page. */
async function follow() {
    following?.abort();
    following = new AbortController();
    const { signal } = following;
    const onState = (feedState) => { shell.banner.hidden = feedState === 'open'; if (feedState === 'lost') replace(shell.banner, t('connection.lost')); };
    try {
        for await (const revision of revisions(signal, onState)) {
            await advance(revision);
        }
    } catch (error) {
        if (error.status === 401) showSignIn(t('session.expired'));
    }
}

/** Shows the store after a new commit. */
async function advance(revision) {
    if (!shell || revision <= state.head) return;
    state.head = revision;
    forget();
    await loadStore();
    dispatchEvent(new Event('muniment-commit'));
    const asked = read(location);
    if (state.at === undefined && !['share', 'what-if', 'incident'].includes(asked.screen) && !document.querySelector('dialog[open]')) await show(asked, { isQuiet: true });
}

/** Iterates over the revisions of new commits. A principal follows its notices. A token that only asks may not follow the commits. */
async function* revisions(signal, onState) {
    if (state.caller.right !== 'ask') {
        for await (const event of state.api.feed(state.caller.right === 'administer' ? '/commits' : '/notices', {}, { signal, onState })) yield event.data.revision;
        return;
    }
    while (!signal.aborted) {
        try {
            yield (await state.api.statistics({ signal })).revision;
            onState('open');
        } catch (error) {
            if (signal.aborted) return;
            if (error.status === 401) throw error;
            onState('lost');
        }
        await pause(document.hidden ? 60000 : 5000, signal).catch(() => {});
    }
}

addEventListener('muniment-expired', () => showSignIn(t('session.expired')));
addEventListener('muniment-head', ({ detail }) => advance(detail).catch(report));
addEventListener('muniment-address', () => state.client && open().catch(report));
addEventListener('popstate', () => state.client && open().catch(report));
addEventListener('offline', () => { if (shell) { shell.banner.hidden = false; replace(shell.banner, t('offline.title')); } });
addEventListener('online', () => { if (shell) { shell.banner.hidden = true; open().catch(report); } });

function report(error) {
    if (error.status === 401) showSignIn(t('session.expired'));
    else if (shell) replace(shell.main, failure(error, () => open().catch(report), { isPage: true }));
}

// Links of the console open without loading the page again.
document.addEventListener('click', (event) => {
    document.querySelectorAll('.menu[open]').forEach((menu) => { if (!menu.contains(event.target)) menu.open = false; });
    const link = event.target.closest?.('a[href^="/console/"]');
    if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || link.target || link.download) return;
    event.preventDefault();
    document.querySelectorAll('dialog[open]').forEach((dialog) => dialog.close());
    go(link.getAttribute('href'));
});

document.addEventListener('keydown', (event) => {
    const menu = event.key === 'Escape' && document.querySelector('.menu[open]');
    if (menu) {
        menu.open = false;
        menu.querySelector('summary').focus();
    }
    if (!state.client || !shell || event.ctrlKey || event.metaKey || event.altKey) return;
    const isTyping = event.target.closest?.('input:not([type=range]), textarea, select, dialog');
    if (event.key === '/' && !isTyping) {
        event.preventDefault();
        openSearch();
    }
});

try { document.documentElement.dataset.theme = localStorage.getItem('muniment-theme') ?? 'auto'; } catch { /* The theme of the system. */ }
document.documentElement.lang = language;
const signInCall = redirected();
if (signInCall) {
    showSignIn();
    enter(signInCall).catch((error) => showSignIn(error.message));
} else resume();
