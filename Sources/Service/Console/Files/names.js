// Names, privileges and fields to enter them.
import { h, replace, safe, svg, visible } from './dom.js';
import { address, seesEverything, state } from './state.js';
import { t } from './texts.js';

const shapes = {
    user: 'M8 8.2a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm-5.5 6c0-3 2.2-4.6 5.5-4.6s5.5 1.600 5.5 4.600Z',
    role: 'M5.600 7.600a2.400 2.400 0 1 0 0-4.800 2.400 2.400 0 0 0 0 4.800Zm5.200.4a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM1 13.400c0-2.700 1.800-4.200 4.600-4.200s4.600 1.500 4.600 4.200Zm10.400 0h3.800c0-2.600-1.500-4.100-4-4.100-.5 0-.9.1-1.300.2 1 .9 1.500 2.200 1.500 3.900Z',
    thing: 'M4 2.500h8v11H4Zm2.500 8.500v1.200h3V11Z',
    everyone: 'M8 1.500a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13Zm0 1.500c.8 0 1.700 1.800 1.900 4.200H6.100C6.300 4.800 7.200 3 8 3ZM3.100 7.200c.2-1.500 1-2.800 2.100-3.500-.4 1-.6 2.200-.7 3.500Zm0 1.600h1.400c.1 1.300.3 2.500.7 3.500a5 5 0 0 1-2.100-3.500Zm3 0h3.800C9.700 11.200 8.800 13 8 13s-1.700-1.800-1.900-4.200Zm4.700 3.500c.4-1 .6-2.200.7-3.500h1.400a5 5 0 0 1-2.100 3.500Zm.7-5.100c-.1-1.300-.3-2.500-.7-3.500a5 5 0 0 1 2.100 3.500Z',
    folder: 'M1.500 3.500h4.700l1.500 1.700h6.800v8.300h-13Z',
    class: 'M8 1.500 14 5v6l-6 3.500L2 11V5Zm0 1.700L4.200 5.400 8 7.600l3.800-2.200Z',
    permission: 'M8 1.500 13.500 4v4c0 3.200-2.300 5.600-5.500 6.500C4.800 13.600 2.500 11.200 2.500 8V4Z',
    store: 'M2 3.500c0-1.300 12-1.300 12 0v9c0 1.300-12 1.300-12 0Z',
    object: 'M3.500 1.500h6l3 3v10h-9Zm5.500 1v2.500h2.500Z',
};

/** The class of a name, and the rest: `user:ann` is `['user', 'ann']`. */
export function split(name) {
    const colon = name.indexOf(':');
    return colon < 0 ? ['', name] : [name.slice(0, colon), name.slice(colon + 1)];
}

export const isSubject = (name) => ['everyone', 'anonymous'].includes(name) || ['user', 'thing', 'role'].includes(split(name)[0]);

function icon(name) {
    const kind = ['everyone', 'anonymous'].includes(name) ? 'everyone' : name === 'store' ? 'store' : split(name)[0];
    return svg('svg', { class: `icon ${Object.hasOwn(shapes, kind) ? kind : 'object'}`, viewBox: '0 0 16 16', 'aria-hidden': 'true' },
        svg('path', { d: Object.hasOwn(shapes, kind) ? shapes[kind] : shapes.object }));
}

/** A name with its icon; its class is less prominent. */
export function label(name) {
    const [kind, id] = split(name);
    return h('span', { class: `name ${name.length <= 32 ? 'short' : ''}`, title: visible(name) }, icon(name),
        h('span', {}, kind && h('span', { class: 'kind' }, safe(kind), ':'), h('span', { class: 'id' }, safe(id))));
}

/** The classes of objects among the names of all classes. */
export const objectClasses = (names) => names.map((name) => name.slice(6)).filter((name) => !['class', 'role', 'user', 'thing', 'permission', 'store'].includes(name));

/** The address of the page about a name. */
export const page = (name, query) => address(isSubject(name) ? 'person' : 'object', [name], query);

/** A name that leads to its page. */
export function link(name, query) {
    if (name === null || name === undefined) return h('span', { class: 'muted' }, t('the.store'));
    return h('a', { href: page(name, query), class: 'name-link' }, label(name));
}

const order = ['read', 'query', 'update', 'create', 'delete', 'setPermissions', 'setOwner', 'modifySchema'];
const rank = (privilege) => (order.indexOf(privilege) + 1) || 2.5;
/** Privileges in the order in which people think of them: read first, custom ones after it, control last. */
export const sorted = (privileges) => [...privileges].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
export const tone = (privilege) => (order.includes(privilege) ? privilege : 'custom');

/** What a privilege allows, in words. */
export const meaning = (privilege) => t(`privilege.${tone(privilege)}`);

export function chip(privilege, { sign = '', href } = {}) {
    const content = [sign && h('span', { 'aria-hidden': 'true' }, sign), sign && h('span', { class: 'visually-hidden' }, t(sign === '+' ? 'gained' : 'lost'), ' '), safe(privilege)];
    const attributes = { class: `chip ${tone(privilege)} ${sign === '+' ? 'plus' : sign === '−' ? 'minus' : ''}` };
    return href ? h('a', { ...attributes, href, title: t('why.link') }, content) : h('span', { ...attributes, title: meaning(privilege) }, content);
}

export const chips = (privileges, options) => h('span', { class: 'chips' }, privileges[0] === '*' ? h('span', { class: 'chip' }, t('all.privileges')) : sorted(privileges).map((privilege) => chip(privilege, options)));
export const gainsAndLosses = ({ gained, lost }) => h('span', { class: 'chips' },
    sorted(gained).map((privilege) => chip(privilege, { sign: '+' })), sorted(lost).map((privilege) => chip(privilege, { sign: '−' })));

/** Privileges of a subject on an object; each leads to its reason. */
export const reasons = (subject, privileges, object, query) => h('span', { class: 'chips' },
    sorted(privileges).map((privilege) => chip(privilege, { href: address('why', [subject, privilege, object], query) })));

/** Whether a text is empty or a name with its class. */
const isComplete = (text) => ['', 'everyone', 'anonymous', 'store'].includes(text) || /^[^:]+:./su.test(text);

let fields = 0;

/** A labelled field. */
export function field(text, input, hint) {
    fields += 1;
    input.id ||= `field-${fields}`;
    return h('div', { class: 'field' }, h('label', { for: input.id }, text), input, hint && h('small', {}, hint));
}

/** A labelled field for a name, with suggestions from the store. `kinds` limits them to classes; one class alone need not be typed. With
 * `isPresent`, they are of now and not of the moment of the page. */
export function nameField(text, { value = '', kinds = [], required = false, isPresent = false } = {}) {
    fields += 1;
    const list = h('datalist', { id: `names-${fields}` });
    const input = h('input', {
        id: `field-${fields}`, value, required, autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off', placeholder: kinds.includes('user') ? 'user:…' : '', list: list.id,
    });
    let latest = 0;
    /** The name that the reader means. */
    const meant = () => {
        const typed = input.value.trim();
        return kinds.length === 1 && !isComplete(typed) && !typed.includes(':') ? `${kinds[0]}:${typed}` : typed;
    };
    const check = () => {
        const name = visible(meant());
        input.setCustomValidity(isComplete(name) ? '' : t('name.form', { name, example: (kinds.length > 0 ? kinds : ['doc']).map((kind) => `${kind}:${name}`).join(', ') }));
    };
    check();
    input.addEventListener('input', async () => {
        check();
        if (!seesEverything()) return;
        latest += 1;
        const mine = latest;
        const searches = kinds.length > 0 ? kinds : [undefined];
        const contains = input.value.replace(/^[^:]*:/, '');
        const pages = await Promise.all(searches.map((kind) => state.api.names({ contains, class: kind, limit: 8, at: isPresent ? undefined : state.at }))).catch(() => []);
        if (mine !== latest) return;
        const extra = kinds.includes('role') ? ['everyone', 'anonymous'].filter((word) => word.includes(contains)) : [];
        replace(list, pages.flatMap((page) => page.names).concat(extra).map((name) => h('option', { value: name })));
    });
    const element = h('div', { class: 'field' }, h('label', { for: input.id }, text), h('span', { class: 'name-input' }, input, list));
    Object.defineProperty(element, 'value', { get: meant, set: (name) => { input.value = name; check(); } });
    return element;
}

/** The number of members of a role, with the number of each kind: `3 members: 2 roles, 1 person`. */
export function memberCount(members) {
    if (members.length === 0) return t('role.no.members');
    const count = { role: 0, thing: 0, everyone: 0, user: 0 };
    for (const member of members) count[member.startsWith('role:') ? 'role' : member.startsWith('thing:') ? 'thing' : member === 'everyone' ? 'everyone' : 'user'] += 1;
    const kinds = [['role', 'count.roles'], ['user', 'role.people'], ['thing', 'count.things'], ['everyone', 'count.everyone']].filter(([kind]) => count[kind] > 0);
    return `${t('count.members', { n: members.length })}: ${kinds.map(([kind, key]) => t(key, { n: count[kind] })).join(', ')}`;
}

/** A list that is a sentence: `a, b and c`. */
export const listed = (items) => items.flatMap((item, place) => (place === 0 ? [item] : [', ', item]));
