// Model: classes with their options, roles as a graph, and permissions, for somebody who has never seen the store.
import { h, pool, svg, table, visible } from './dom.js';
import { chip, chips, link, meaning, memberCount, objectClasses, page, sorted, split } from './names.js';
import { builtIn, classOptions } from './object.js';
import { cached, state } from './state.js';
import { chunks, empty, part, section } from './states.js';
import { rich, t } from './texts.js';

const all = (kind, limit = 1000) => cached(`names ${kind} ${state.at ?? ''}`, () => state.api.names({ class: kind, at: state.at, limit }));
const describe = (name) => cached(`name ${name} ${state.at ?? ''}`, () => state.api.describe(name, { at: state.at }));

export async function modelScreen({ signal }) {
    const answer = await all('class');
    return {
        title: t('menu.model'), answer,
        element: h('div', { class: 'screen' }, h('h1', {}, t('menu.model')), h('p', { class: 'muted' }, t('model.text')),
            h('ol', { class: 'explain-levels' }, ['store', 'class', 'object'].map((level) => h('li', {}, h('strong', {}, t(`level.${level}`)), ' ', t(`model.level.${level}`)))),
            section(t('model.classes'), part(() => classes(answer.names), { signal })),
            section(t('model.privileges'), part(() => privileges(answer.names), { signal })),
            section(t('model.roles'), part(() => roles(), { signal })),
            section(t('model.permissions'), part(() => permissions(), { signal })),
            section(t('model.store'), part(() => entriesOf('store'), { signal }))),
    };
}

async function entriesOf(name) {
    const { entries } = await state.api.entries(name, { at: state.at, limit: 1000 });
    return entries.length === 0 ? empty(t('object.no.entries')) : table(`${t('object.entries')}: ${visible(name)}`, [t('who'), t('may')], entries.map((entry) => [link(entry.subject), chips(entry.privileges)]));
}

/** What the privileges allow: the built-in ones, and those that classes define. */
async function privileges(names) {
    const described = await pool(objectClasses(names).map((name) => `class:${name}`), 6, describe);
    const all = sorted(new Set([...builtIn, ...described.flatMap(({ options }) => options.privileges)]));
    return table(t('model.privileges'), [t('privilege'), t('meaning')], all.map((privilege) => [chip(privilege), meaning(privilege)]));
}

async function classes(names) {
    const own = objectClasses(names).map((name) => `class:${name}`);
    if (own.length === 0) return empty(t('model.no.classes'));
    const described = await pool(own, 6, describe);
    return h('div', { class: 'columns' }, described.map(({ name, options }) => h('article', { class: 'class-card' }, h('h3', {}, link(name)),
        classOptions(options),
        part(() => entriesOf(name)))));
}

async function roles() {
    const { names, next } = await all('role', 60);
    if (names.length === 0) return empty(t('role.none'));
    const described = await pool(names, 6, describe);
    return h('div', {}, next ? h('p', { class: 'note' }, t('model.roles.some', { n: names.length })) : [h('p', { class: 'muted' }, t('model.graph.text')), graph(described)],
        chunks(described, 25, (some) => table(t('model.roles'), [t('role'), t('role.members'), t('role.in'), t('role.entries')], some.map((role) => [link(role.name), h('div', {}, h('span', { class: 'muted' }, memberCount(role.members)), h('div', { class: 'wrap' }, several(role.members))), h('span', { class: 'wrap' }, several(role.roles)), h('span', { class: 'wrap' }, several(role.entries))]))));
}

const several = (names = []) => [names.slice(0, 12).map((name) => [link(name), ' ']), names.length > 12 && t('and.more', { n: names.length - 12 })];

/** The people in a role and in the roles within it, without devices. */
function peopleOf(name, byName, seen = new Set()) {
    if (seen.has(name)) return new Set();
    seen.add(name);
    return new Set((byName.get(name)?.members ?? []).flatMap((member) => (member.startsWith('role:') ? [...peopleOf(member, byName, seen)] : member.startsWith('thing:') ? [] : [member])));
}

/** Roles from the narrowest on the left to the widest on the right; an arrow leads to the role that contains the other. */
function graph(described) {
    const byName = new Map(described.map((role) => [role.name, role]));
    const depths = new Map();
    const depth = (name, seen = new Set()) => {
        if (depths.has(name) || seen.has(name)) return depths.get(name) ?? 0;
        seen.add(name);
        const inner = (byName.get(name)?.members ?? []).filter((member) => byName.has(member));
        depths.set(name, inner.length === 0 ? 0 : 1 + Math.max(...inner.map((member) => depth(member, seen))));
        return depths.get(name);
    };
    for (const role of described) depth(role.name);
    const columns = [];
    for (const role of described) (columns[depths.get(role.name)] ??= []).push(role.name);
    const rows = Math.max(...columns.filter(Boolean).map((column) => column.length));
    const [width, height] = [columns.length * 220, rows * 64 + 12];
    const place = new Map();
    columns.forEach((column, across) => column?.forEach((name, down) => place.set(name, { x: across * 220 + 10, y: 12 + (down + (rows - column.length) / 2) * 64 })));
    const arrows = described.flatMap((role) => role.members.filter((member) => place.has(member)).map((member) => {
        const [from, to] = [place.get(member), place.get(role.name)];
        const [x1, y1, x2, y2] = [from.x + 160, from.y + 22, to.x - 6, to.y + 22];
        return svg('path', { class: 'graph-edge', d: `M${x1} ${y1}C${x1 + 30} ${y1} ${x2 - 30} ${y2} ${x2} ${y2}m-6-4 6 4-6 4` });
    }));
    const nodes = described.map((role) => {
        const { x, y } = place.get(role.name);
        const people = peopleOf(role.name, byName).size;
        const [, id] = split(role.name);
        const short = visible(id);
        return svg('a', { href: page(role.name), 'aria-label': visible(role.name) }, svg('rect', { class: 'graph-node', x, y, width: 160, height: 44, rx: 8 }),
            svg('text', { class: 'graph-name', x: x + 12, y: y + 19 }, short.length > 20 ? `${short.slice(0, 19)}…` : short), svg('text', { class: 'graph-people', x: x + 12, y: y + 36 }, t('role.people', { n: people })));
    });
    return h('div', { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': t('model.graph') }, svg('svg', { class: 'graph', viewBox: `0 0 ${width} ${height}`, width, height }, arrows, nodes));
}

async function permissions() {
    const { names } = await all('permission', 200);
    if (names.length === 0) return empty(t('model.no.permissions'));
    const described = await pool(names, 6, describe);
    return chunks(described, 25, (some) => table(t('model.permissions'), [t('permission'), t('who'), t('may'), t('attached')], some.map(({ name, permission }) => [link(name), permission && link(permission.subject), permission && chips(permission.privileges), permission && h('span', { class: 'wrap' }, several(permission.objects))])));
}
