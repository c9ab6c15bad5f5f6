// Person, device or role: what it reaches, since when and through what; what it lost; its own changes.
import { browsePeople } from './browse.js';
import { causeColumns, causeRow } from './causes.js';
import { h, replace, table } from './dom.js';
import { changeSentence, commitButton, eventSentence } from './events.js';
import { label, link, listed, memberCount, split } from './names.js';
import { describe } from './object.js';
import { address, cached, mayChange, seesEverything, state, tryChanges } from './state.js';
import { chunks, empty, later, part, section } from './states.js';
import { rich, t } from './texts.js';
import { isFuture, millis, momentText, when } from './time.js';

export async function personScreen({ parts: [name], signal }) {
    if (!name) return browsePeople(signal);
    const [report, found] = await Promise.all([cached(`report ${name} ${state.at ?? ''}`, () => state.api.auditSubject(name, { at: state.at, limit: 10000 }, { signal })), describe(name)]);
    const [kind] = split(name);
    const isRole = kind === 'role';
    const reached = report.objects.filter(({ privileges }) => privileges.length > 0);
    const title = `person.reaches.${state.at === undefined ? 'now' : isFuture(state.at) ? 'later' : 'then'}`;
    return {
        title: name, answer: report,
        element: h('div', { class: 'screen' },
            h('div', { class: 'title' }, h('div', {}, h('h1', {}, label(name)), summary(report, found, reached)),
                h('div', { class: 'actions' },
                    h('a', { class: 'button', href: address('compare', [], { name }) }, t('compare')),
                    seesEverything() && mayChange() && !isRole && kind && h('button', { type: 'button', onclick: () => endAccess(name, found) }, t('end.access')))),
            years(name),
            section(rich(title, { moment: when(report.time, 'long') }), reached.length === 0 ? empty(t('person.reaches.nothing')) : reaches(name, reached, report, title, signal), report.next && h('p', { class: 'note' }, t('person.partial'))),
            h('div', { class: 'columns' },
                section(t('person.roles'), roles(report, found)),
                isRole && section(t('role.members'), part(() => members(name), { signal })),
                kind && kind !== 'thing' && section(t('person.entries'), entries(name, found))),
            kind !== '' && !isRole && section(t('person.lost'), later(() => lost(name, reached, signal), { signal })),
            kind !== '' && seesEverything() && section(isRole ? t('history') : rich('person.changes', { name: label(name) }), part(() => (isRole ? historyOf(name, report, signal) : changes(name, signal)), { signal }))),
    };
}

function summary(report, found, reached) {
    return h('p', { class: 'muted' }, report.administrator && h('strong', { class: 'badge' }, t('person.administrator')),
        !report.known && h('strong', { class: 'badge warn' }, t('person.unknown')), ' ', t('person.reaches.n', { n: reached.length }), found?.created !== undefined && [' · ', rich('person.since', { revision: commitButton(found.created) })]);
}

/** Links that compare the beginning and the end of each year. */
function years(name) {
    if (!state.span) return null;
    const [first, last] = [new Date(state.span.from).getFullYear(), new Date(state.span.to).getFullYear()];
    const links = [];
    for (let year = last; year >= Math.max(first, last - 11); year -= 1) {
        links.push(h('a', { href: address('compare', [], { name, from: `${year}-01-01`, to: year === last ? '' : `${year + 1}-01-01` }) }, String(year)));
    }
    return h('p', { class: 'years-line' }, t('person.changed.in'), ' ', links.flatMap((link) => [link, ' ']), '· ',
        h('a', { href: address('activity', [], { subject: name }) }, t('person.changed.all')));
}

function reaches(name, reached, report, title, signal) {
    const filter = h('input', { type: 'search', 'aria-label': t('filter'), placeholder: t('filter') });
    const box = h('div');
    const draw = () => replace(box, chunks(reached.filter((holding) => holding.name.toLowerCase().includes(filter.value.toLowerCase())), 25, (some, start) => table(t(title, { moment: momentText(state.at, report.time) }), [t('object'), ...causeColumns()],
        some.map(({ name: object, privileges }, place) => causeRow(() => link(object), { subject: name, privileges, object }, report, start + place, signal)))));
    filter.addEventListener('input', draw);
    draw();
    return h('div', {}, reached.length > 10 && filter, box);
}

function roles(report, found) {
    if (report.roles.length === 0) return empty(t('person.no.roles'));
    const direct = new Set(found?.roles ?? []);
    return table(t('person.roles'), [t('role'), t('through')], report.roles.map(({ role, through, everyones }) => [
        link(role), everyones ? t('through.everyone') : direct.has(role) || through.length === 0 ? t('direct') : h('span', {}, listed(through.map((each) => link(each)))),
    ]));
}

async function members(role) {
    const { members: found } = await state.api.members(split(role)[1], { at: state.at, limit: 10000 });
    return found.length === 0 ? empty(t('role.no.members')) : h('div', {}, h('p', { class: 'muted' }, memberCount(found)), chunks(found, 50, (some) => h('ul', { class: 'names' }, some.map((member) => h('li', {}, link(member))))));
}

function entries(name, found) {
    const objects = found?.entries ?? [];
    if (objects.length === 0) return empty(t('person.no.entries'));
    return chunks(objects, 50, (some) => h('ul', { class: 'names' }, some.map((object) => h('li', {}, link(object), mayChange() && h('button', { type: 'button', class: 'quiet', onclick: () => tryChanges([{ op: 'revoke', subject: name, object }]) }, t('what.if.removed'))))));
}

/** What the subject could reach earlier and cannot any more: the last notice of each such object. */
async function lost(name, reached, signal) {
    const last = new Map();
    let cursor;
    for (let page = 0; page < 10; page += 1) {
        const { notices, next } = await cached(`notices ${name} ${state.at ?? ''} ${cursor ?? ''}`, () => state.api.notices({ subject: name, limit: 1000, cursor, at: cursor ? undefined : state.at }, { signal }));
        for (const notice of notices) last.set(notice.object, notice);
        cursor = next;
        if (!next) break;
    }
    const now = new Set(reached.map((holding) => holding.name));
    const gone = [...last.values()].filter((notice) => !now.has(notice.object) && ['madeInaccessible', 'unshared', 'deleted', 'madePrivate'].includes(notice.kind)).reverse();
    if (gone.length === 0) return empty(t('person.lost.nothing'));
    return chunks(gone, 25, (some) => table(t('person.lost'), [t('object'), t('lost.when'), t('why')], some.map((notice) => [link(notice.object, { at: String(notice.revision - 1) }), when(notice.time),
        h('span', {}, t(`notice.${notice.kind}`), ' ', h('a', { href: address('person', [name], { at: String(notice.revision - 1) }) }, t('person.before')))])));
}

async function changes(name, signal) {
    const { records, next } = await state.api.audit({ actor: name, order: 'newest', limit: 50, to: state.at }, { signal });
    if (records.length === 0) return empty(t('person.no.changes'));
    return h('div', {}, sentences(records), next && h('a', { href: address('activity', [], { actor: name }) }, t('all.activity')));
}

const sentences = (records) => h('ul', { class: 'sentences' }, records.map((record) => h('li', {}, when(record.time), ' ',
    record.outcome === 'refused' ? [h('strong', { class: 'badge warn' }, t('refused')), ' ', changeSentence(record.tried)] : eventSentence(record.event))));

/** The history of a role: its members and its roles, and the access that it was given and lost on objects. */
async function historyOf(name, report, signal) {
    const found = new Map();
    const lists = await Promise.all(['object', 'subject'].map((part) => recordsOf(name, part, report, signal)));
    for (const record of lists.flatMap(({ records }) => records)) found.set(`${record.outcome} ${record.time} ${record.revision} ${record.index} ${JSON.stringify(record.tried)}`, record);
    const records = [...found.values()].sort((a, b) => millis(b.time) - millis(a.time) || b.revision - a.revision || b.index - a.index);
    if (records.length === 0) return empty(t('person.no.changes'));
    return h('div', {}, chunks(records, 50, sentences), lists.some(({ next }) => next) && h('p', { class: 'note' }, t('role.history.some'), ' ',
        h('a', { href: address('activity', [], { object: name }) }, t('role.history.members')), ' · ', h('a', { href: address('activity', [], { subject: name }) }, t('role.history.access'))));
}

/** The records with a role as their object or subject, up to the moment. They are read once for all moments unless there are too many. */
async function recordsOf(name, part, report, signal) {
    const query = { [part]: name, order: 'newest', limit: 1000 };
    const all = await cached(`records ${part} ${name}`, () => state.api.audit(query));
    if (!all.next) return { records: all.records.filter((record) => (record.outcome === 'done' ? record.revision <= report.revision : millis(record.time) <= millis(report.time))) };
    return state.at === undefined ? all : state.api.audit({ ...query, to: state.at }, { signal });
}

/** Ends all access that somebody has by itself: memberships, entries, administration. With a preview. */
function endAccess(name, found) {
    tryChanges([...(found?.roles ?? []).map((role) => ({ op: 'removeMember', role, member: name })),
        ...(found?.entries ?? []).map((object) => ({ op: 'revoke', subject: name, object })),
        ...(state.administrators.includes(name) ? [{ op: 'dismissAdministrator', principal: name }] : [])]);
}
