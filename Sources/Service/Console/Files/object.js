// Object: who could do what on it, and when.
import { browseObjects } from './browse.js';
import { causeColumns, causeRow } from './causes.js';
import { h, replace, safe, table, visible } from './dom.js';
import { commitButton, timeline } from './events.js';
import { accessAt, lanes, readAccess } from './lanes.js';
import { chips, label, link, listed, sorted, split } from './names.js';
import { address, cached, mayChange, seesEverything, state, tryChanges } from './state.js';
import { chunks, empty, part, section } from './states.js';
import { rich, t } from './texts.js';
import { isFuture, momentText, when } from './time.js';

/** The privileges of every store. */
export const builtIn = ['read', 'query', 'update', 'create', 'delete', 'setPermissions', 'setOwner', 'modifySchema'];

/** The privileges that an object can give. A reader who may not read its class sees those that the object has given, or that it has. */
export async function privilegesOf(name) {
    if (!seesEverything()) return ownPrivilegesOf(name);
    try {
        const [className] = split(name);
        const { options } = await cached(`class ${className}`, () => state.api.describe(`class:${className}`));
        return sorted([...builtIn, ...(options?.privileges ?? [])]);
    } catch { return builtIn; }
}

const ownPrivilegesOf = (name) => cached(`privileges ${name}`, async () => {
    const answers = await Promise.allSettled([
        state.api.privileges(state.caller.principal, name).then(({ privileges }) => privileges),
        state.api.entries(name, { limit: 1000 }).then(({ entries: found }) => found.flatMap(({ privileges }) => privileges)),
        state.api.history(name, { limit: 1000 }).then(({ commits }) => commits.flatMap(({ events }) => events.flatMap(({ privileges }) => privileges ?? []))),
    ]);
    const found = answers.flatMap((answer) => answer.value ?? []).filter((privilege) => privilege !== '*');
    return sorted(new Set([...builtIn, ...found]));
});

/** What is recorded about a name at the moment; null if it does not exist then, or if the reader may not know. */
export async function describe(name, { at } = state) {
    try {
        return await cached(`name ${name} ${at ?? ''}`, () => state.api.describe(name, { at }));
    } catch (error) {
        if (error.status === 404 || error.status === 403) return null;
        throw error;
    }
}

export async function objectScreen({ parts: [name], signal }) {
    if (!name) return browseObjects(signal);
    // The entries of a class or the store limit what objects give. They give no access themselves.
    const isLevel = split(name)[0] === 'class' || name === 'store';
    const [found, custom] = await Promise.all([describe(name), isLevel ? [] : privilegesOf(name)]);
    const [access, answer] = await Promise.all([readAccess(name, custom, isFuture(state.at) ? state.at : undefined, signal), momentAnswer(name, found)]);
    // Administrators have every privilege, which says nothing about the object.
    const used = custom.filter((privilege) => [...access.values()].some((spans) => spans.get(privilege)?.some((span) => !span.asAdministrator)));
    const present = accessAt(access, answer);
    const moment = state.at === undefined ? null : Date.parse(answer.time);
    const people = present.filter((holder) => !holder.isAdministrator);
    const administrators = present.filter((holder) => holder.isAdministrator);
    const element = h('div', { class: 'screen' },
        h('div', { class: 'title' }, h('div', {}, ancestors(found), h('h1', {}, label(name)), facts(found)),
            h('div', { class: 'actions' },
                mayChange() && h('a', { class: 'button primary', href: address('share', [name]) }, t('share')),
                h('a', { class: 'button', href: address('compare', [], { name }) }, t('compare')),
                seesEverything() && h('a', { class: 'button', href: address('incident', [], { object: name }) }, t('menu.incident')))),
        !found && seesEverything() && h('p', { class: 'note' }, t('object.absent', { moment: momentText(state.at, answer.time) })),
        isLevel ? h('p', { class: 'note' }, t('object.level'), ' ', h('a', { href: address('model') }, t('menu.model'))) : section(rich(whoHas(), { moment: when(answer.time, 'long') }),
            people.length === 0 ? empty(t('object.nobody')) : holders(name, people, answer, signal),
            administrators.length > 0 && h('p', { class: 'muted' }, rich('object.administrators', { names: h('span', {}, listed(administrators.map(({ subject }) => link(subject)))) })),
            access.isPartial && h('p', { class: 'note' }, t('object.partial'))),
        access.size > 0 && section(t('object.over.time'), lanes(name, access, used, moment)),
        h('div', { class: 'columns' },
            section(t('object.entries'), h('p', { class: 'muted' }, t('object.entries.text')), part(() => entries(name), { signal })),
            found?.options ? section(t('class.options'), classOptions(found.options)) : !isLevel && found && section(t('object.inherits'), part(() => inherited(found), { signal })),
            found?.hasChildren && section(t('object.inside'), part(() => children(name), { signal }))),
        !isLevel && section(t('object.value'), part(() => value(name), { signal })),
        section(t('history'), part(() => history(name, found, answer, signal), { signal })));
    return { element, title: name, answer };
}

/** The text above the list of people with access. */
const whoHas = () => `object.who.${state.at === undefined ? 'now' : isFuture(state.at) ? 'later' : 'then'}`;

/** The revision and time of the moment. */
async function momentAnswer(name, found) {
    if (found) return found;
    if (!seesEverything()) return cached(`moment ${name} ${state.at ?? ''}`, () => state.api.who('read', name, { at: state.at, limit: 1 }));
    return cached(`moment ${state.at ?? ''}`, () => state.api.administrators({ at: state.at }));
}

function ancestors(found) {
    if (!found?.parent) return null;
    const trail = h('p', { class: 'trail' }, link(found.parent), ' ›');
    namesAbove(found).then((names) => replace(trail, names.reverse().map((name) => [link(name), ' › ']))).catch(() => {});
    return trail;
}

/** The names of the objects above an object, the nearest first. */
async function namesAbove(found, moment = state) {
    const names = [];
    for (let name = found?.parent; name && names.length < 16; name = (await describe(name, moment))?.parent) names.push(name);
    return names;
}

/**
 * The changes of one name up to a revision. They are read once for all moments, unless there are more than one request returns, or
 * the reader may only know those of the past.
 */
async function changesOf(name, revision, signal) {
    const all = await cached(`history ${name}`, () => state.api.history(name, { limit: 1000 })).catch(() => null);
    if (all && !all.next) return all.commits.filter((commit) => commit.revision <= revision);
    return (await state.api.history(name, { at: state.at, limit: 1000 }, { signal })).commits;
}

/** The changes of an object. Since its creation, also changes of access to the objects above it. */
async function history(name, found, answer, signal) {
    const load = (each) => changesOf(each, answer.revision, signal);
    const changesAbove = async (above) => (await load(above)).filter(({ revision }) => revision > found.created)
        .map((commit) => ({ ...commit, events: commit.events.filter(({ kind, object }) => object === above && kind !== 'ObjectCreated' && kind !== 'ObjectWritten') }))
        .filter(({ events }) => events.length > 0);
    const above = namesAbove(found).then((names) => Promise.all(names.map((each) => changesAbove(each).catch(() => []))));
    const commits = new Map();
    for (const commit of [await load(name), ...await above].flat()) {
        const events = [...commits.get(commit.revision)?.events ?? [], ...commit.events];
        commits.set(commit.revision, { ...commit, events });
    }
    return timeline([...commits.values()].sort((one, other) => one.revision - other.revision));
}

function facts(found) {
    if (!found) return null;
    return h('p', { class: 'muted facts-line' }, found.owner && rich('object.owner', { owner: link(found.owner) }), ' · ',
        rich('object.created', { revision: commitButton(found.created) }), found.changed !== found.created && [' · ', rich('object.changed', { revision: commitButton(found.changed) })]);
}

/** The people with access, their privileges, and the reason of each. */
function holders(name, people, answer, signal) {
    return chunks(people, 25, (some, start) => table(t(whoHas(), { moment: momentText(state.at, answer.time) }), [t('who'), ...causeColumns()],
        some.map(({ subject, privileges }, place) => causeRow(() => link(subject), { subject, privileges, object: name }, answer, start + place, signal))));
}

function entryRow(object, entry) {
    return [link(entry.subject), h('span', {}, chips(entry.privileges), entry.permission && [' ', link(`permission:${entry.permission}`)], entry.permanent && h('span', { class: 'muted' }, ' ', t('permanent')),
        entry.until && [' ', rich('until', { time: when(entry.until) })]),
    mayChange() && !entry.permission && h('button', { type: 'button', class: 'quiet', onclick: () => tryChanges([{ op: 'revoke', subject: entry.subject, object }]) }, t('what.if.removed'))];
}

async function entries(name) {
    const { entries: found } = await state.api.entries(name, { at: state.at, limit: 1000 });
    if (found.length === 0) return empty(t('object.no.entries'));
    return chunks(found, 50, (some) => table(t('object.entries'), [t('who'), t('may'), h('span', { class: 'visually-hidden' }, t('actions'))], some.map((entry) => entryRow(name, entry))));
}

/** What holds for the objects of a class, as a list. */
export const classOptions = (options) => h('ul', {}, h('li', {}, t(options.objectACL === 'required' ? 'option.acl' : 'option.no.acl')), options.composition === 'widening' && h('li', {}, t('option.widening')),
    h('li', {}, options.inherits === true ? t('option.inherits') : options.inherits === false || options.inherits.length === 0 ? t('option.inherits.not') : rich('option.inherits.some', { privileges: chips(options.inherits) })),
    options.creatorPrivileges.length > 0 && h('li', {}, rich('option.creator', { privileges: chips(options.creatorPrivileges) })),
    options.readThroughLinks && h('li', {}, t('option.links')),
    options.privileges.length > 0 && h('li', {}, rich('option.privileges', { privileges: chips(options.privileges) })),
    options.properties.length > 0 && h('li', {}, t('option.properties', { names: options.properties.map(visible).join(', ') })),
    Object.entries(options.aliases ?? {}).map(([alias, privileges]) => h('li', {}, rich('option.alias', { alias: h('code', {}, visible(alias)), privileges: chips(privileges) }))));

/** What an object inherits from the objects above it. */
export async function inherited(found, { at } = state) {
    const { options } = await cached(`class ${found.class}`, () => state.api.describe(`class:${found.class}`));
    if (!options || options.inherits === false || (Array.isArray(options.inherits) && options.inherits.length === 0)) return empty(t('object.inherits.nothing'));
    if (!found.parent) return empty(t('object.inherits.top'));
    const lists = await Promise.all((await namesAbove(found, { at })).map(async (name) => {
        const { entries: above } = await state.api.entries(name, { at, limit: 200 });
        return above.map((entry) => [link(entry.subject), chips(entry.privileges), link(name)]);
    }));
    const rows = lists.flat();
    return rows.length === 0 ? empty(t('object.no.entries')) : table(t('object.inherits'), [t('who'), t('may'), t('from')], rows);
}

async function children(name) {
    const { names } = await state.api.names({ parent: name, at: state.at, limit: 1000 });
    return chunks(names, 50, (some) => h('ul', { class: 'names' }, some.map((child) => h('li', {}, link(child)))));
}

async function value(name) {
    const as = state.caller.principal ?? state.administrators[0];
    try {
        const { value: found } = await state.api.object(name, { at: state.at, as });
        return found === null ? empty(t('object.no.value')) : h('pre', { class: 'value', tabindex: '0' }, JSON.stringify(found, null, 2).split('\n').map((line) => [safe(line), '\n']));
    } catch (error) {
        if (error.status === 403 || error.status === 404) return empty(error.message);
        throw error;
    }
}
