// Compare: what differed between two moments, for a person, an object or the whole store.
import { csv, h, pool, save, table } from './dom.js';
import { field, gainsAndLosses, isSubject, link, nameField, split } from './names.js';
import { describe } from './object.js';
import { address, go, pages, state } from './state.js';
import { chunks, empty, lengthy, part, section } from './states.js';
import { rich, t } from './texts.js';
import { fromLocal, instant, local, momentMillis, when } from './time.js';

export async function compareScreen({ query, signal }) {
    const { name = '', from = '', to = '' } = query;
    const element = h('div', { class: 'screen' }, h('h1', {}, t('menu.compare')), section(t('compare.ask'), form(name, from, to)));
    if (from) element.append(name ? part(() => one(name, from, to || undefined, signal), { signal }) : all(from, to || undefined, signal));
    return { title: t('menu.compare'), element };
}

/** A field for a moment; its value is a time of the API or empty. */
export function momentField(text, at) {
    const given = momentMillis(at);
    const input = h('input', { type: 'datetime-local', step: '1', max: '9999-12-31T23:59:59', value: given === null ? '' : local(given) });
    const element = field(text, input, at && given === null ? t('revision.n', { n: at }) : null);
    Object.defineProperty(element, 'moment', { get: () => (input.value ? instant(fromLocal(input.value)) : given === null ? at ?? '' : '') });
    return element;
}

function form(name, from, to) {
    const who = nameField(t('compare.name'), { value: name });
    const start = momentField(t('from'), from || (state.span ? instant(state.span.from) : undefined));
    const end = momentField(t('to.or.now'), to || undefined);
    return h('form', { class: 'fields', onsubmit: (event) => { event.preventDefault(); go(address('compare', [], { name: who.value, from: start.moment, to: end.moment })); } },
        who, start, end, h('button', { type: 'submit', class: 'primary' }, t('compare')));
}

/** All differences of a name. */
async function differences(name, from, to, signal) {
    const found = [];
    let answer;
    for await (answer of pages((cursor) => state.api.diff(name, from, cursor ? undefined : to, { limit: 10000, cursor }, { signal }))) found.push(...answer.differences);
    return { ...answer, differences: found };
}

async function one(name, from, to, signal) {
    const answer = await differences(name, from, to, signal);
    const title = rich('compare.result', { name: link(name), from: when(answer.from.time, 'long'), to: to === undefined ? t('now') : when(answer.to.time, 'long') });
    const rows = answer.differences;
    const column = isSubject(name) ? t('object') : t('who');
    const isKnown = split(name)[0] === '' || await describe(name);
    const changes = h('p', {}, isSubject(name) && [t('compare.direct'), ' '], h('a', { href: address('activity', [], { [isSubject(name) ? 'subject' : 'object']: name, from, to }) }, t('compare.changes')));
    return section(title, !isKnown && h('p', { class: 'note' }, t('compare.unknown')), changes, rows.length === 0 ? empty(t('compare.same')) : [
        h('p', {}, t('compare.gains', { n: rows.filter((row) => row.gained.length > 0).length }), ' ', t('compare.losses', { n: rows.filter((row) => row.lost.length > 0).length })),
        chunks(rows, 100, (some) => table(t('menu.compare'), [column, t('change'), t('before'), t('after')], some.map((row) => [link(row.name), gainsAndLosses(row), row.before.join(', ') || '–', row.after.join(', ') || '–']))),
        h('button', { type: 'button', onclick: () => save('compare.csv', 'text/csv', csv(['name', 'gained', 'lost', 'before', 'after'], rows.map((row) => [row.name, row.gained.join(' '), row.lost.join(' '), row.before.join(' '), row.after.join(' ')]))) }, t('csv'))]);
}

/** The whole store, person by person, with progress. */
function all(from, to, signal) {
    return section(t('compare.store'), lengthy(signal, async (stop, bar) => {
        const people = [];
        for (const kind of ['user', 'thing', 'role']) for await (const name of state.api.all((cursor) => state.api.names({ class: kind, limit: 10000, cursor }, { signal: stop }), 'names')) people.push(name);
        people.push('everyone', 'anonymous');
        let done = 0;
        const found = await pool(people, 6, async (name) => {
            const answer = await differences(name, from, to, stop);
            bar.show(done += 1, people.length, t('compare.progress'));
            return { name, rows: answer.differences };
        });
        const changed = found.filter(({ rows }) => rows.length > 0);
        return changed.length === 0 ? empty(t('compare.same')) : [h('p', {}, t('compare.people', { n: changed.length })), chunks(changed, 50, (some) => table(t('menu.compare'), [t('who'), t('gains'), t('losses'), ''], some.map(({ name, rows }) => [
            link(name), String(rows.filter((row) => row.gained.length > 0).length), String(rows.filter((row) => row.lost.length > 0).length), h('a', { href: address('compare', [], { name, from, to }) }, t('details'))])))];
    }));
}
