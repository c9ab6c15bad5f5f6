// Overview: what the store contains, who administers it, what is public, and what happens.
import { h, pool, replace, svg, table } from './dom.js';
import { changeSentence, citation, commitButton, eventSentence } from './events.js';
import { link, listed, memberCount } from './names.js';
import { address, cached, seesEverything, state } from './state.js';
import { chunks, empty, later, part, progress, section } from './states.js';
import { number, rich, size, t } from './texts.js';
import { length, when } from './time.js';

export async function overviewScreen({ signal }) {
    if (!seesEverything()) return own();
    const statistics = await cached('statistics', () => state.api.statistics());
    const at = { at: state.at };
    const administrators = await cached(`moment ${state.at ?? ''}`, () => state.api.administrators(at));
    return {
        title: t('menu.overview'), answer: administrators,
        element: h('div', { class: 'screen' },
            h('h1', {}, t('overview.title', { store: state.store })), h('p', { class: 'muted' }, t('overview.text')),
            statistics.openToEveryone && h('p', { class: 'note warn' }, t('overview.open')),
            statistics.revision === 0 && h('p', { class: 'note' }, t('overview.empty')),
            tiles(statistics), state.at !== undefined && h('p', { class: 'muted' }, t('overview.counts')),
            state.span && section(t('overview.activity'), activity()),
            h('div', { class: 'columns' },
                section(t('overview.administrators'), h('ul', { class: 'names' }, administrators.administrators.map((name) => h('li', {}, link(name))))),
                section(t('overview.public'), h('p', { class: 'muted' }, t('overview.public.text')), part(() => publicObjects(), { signal })),
                section(t('overview.ending'), part(() => ending(), { signal })),
                // These two ask much, and are about the present.
                state.at === undefined && section(t('overview.left'), h('p', { class: 'muted' }, t('overview.left.text')), later(() => leftovers(signal), { signal })),
                state.at === undefined && section(t('overview.roles'), later(() => widest(signal), { signal })),
                section(t('overview.health'), health(statistics, signal))),
            section(t('overview.latest'), part(() => latest(signal), { signal }))),
    };
}

/** The page of somebody who may ask only about itself. */
function own() {
    const name = state.caller.principal;
    return { title: t('menu.overview'), element: h('div', { class: 'screen' }, h('h1', {}, rich('overview.own', { name: link(name) })),
        section(t('overview.own.title'), h('p', {}, t('overview.own.text')), h('p', {}, h('a', { class: 'button primary', href: address('person', [name]) }, t('overview.own.open'))))) };
}

function tiles(statistics) {
    const tile = (value, key, href) => h(href ? 'a' : 'div', { class: 'tile', ...(href ? { href } : {}) }, h('strong', {}, value), h('span', {}, t(key)));
    return h('div', { class: 'tiles' }, tile(number(statistics.objects), 'tile.objects', address('object')), tile(number(statistics.principals), 'tile.principals', address('person')),
        tile(number(statistics.roles), 'tile.roles', address('model')), tile(number(statistics.revision), 'tile.changes', address('activity')),
        tile(number(statistics.refusals), 'tile.refusals', address('activity', [], { outcome: 'refused' })), tile(size(statistics.logBytes + statistics.indexBytes), 'tile.size'));
}

/** Commits over the life of the store; a bar leads to the audit of its time. */
function activity() {
    const { from, to, commits } = state.span;
    const groups = 50;
    const per = Math.ceil(commits.length / groups);
    const sums = Array.from({ length: Math.ceil(commits.length / per) }, (_, place) => commits.slice(place * per, (place + 1) * per).reduce((sum, count) => sum + count, 0));
    const most = Math.max(1, ...sums);
    const time = (place) => from + ((to - from) * Math.min(place, sums.length)) / sums.length;
    const iso = (milliseconds) => new Date(milliseconds).toISOString().slice(0, 10);
    return h('div', { class: 'chart' }, svg('svg', { viewBox: `0 0 ${sums.length * 20} 110`, role: 'group', 'aria-label': t('overview.activity') }, sums.map((count, place) => svg('a', {
        href: address('activity', [], { from: iso(time(place)), to: iso(time(place + 1) + 86400000), at: state.at }), 'aria-label': t('chart.bar', { n: count, from: iso(time(place)), to: iso(time(place + 1)) }),
    }, svg('rect', { class: 'hit', x: place * 20, y: 0, width: 20, height: 110 }), svg('rect', { x: place * 20 + 2, y: 108 - (100 * count) / most, width: 16, height: Math.max(1, (100 * count) / most) }),
        svg('title', {}, t('chart.bar', { n: count, from: iso(time(place)), to: iso(time(place + 1)) }))))));
}

async function publicObjects() {
    const answers = await Promise.all(['anonymous', 'everyone'].map((subject) => cached(`what ${subject} ${state.at ?? ''}`, () => state.api.what(subject, 'read', { at: state.at, limit: 1000 }))));
    const anonymous = new Set(answers[0].objects);
    const all = [...new Set(answers.flatMap((answer) => answer.objects))];
    if (all.length === 0) return empty(t('overview.public.none'));
    return chunks(all, 20, (some) => h('ul', { class: 'names' }, some.map((name) => h('li', {}, link(name), anonymous.has(name) && h('span', { class: 'badge warn' }, t('overview.anonymous'))))));
}

async function ending() {
    const { ends } = await cached('ends', () => state.api.ends({ limit: 100 }));
    if (ends.length === 0) return empty(t('overview.ending.none'));
    return chunks(ends, 10, (some) => table(t('overview.ending'), [t('who'), t('object'), t('end')], some.map((end) => [link(end.subject), link(end.object), when(end.until)])));
}

/** People who were removed from a role, have no role now, and still have access to something. */
async function leftovers(signal) {
    return cached('leftovers', async () => {
        const { records } = await state.api.audit({ kind: 'MemberRemoved', outcome: 'done', order: 'newest', limit: 300 }, { signal });
        const left = new Map();
        for (const { event, time } of records) if (event.member.startsWith('user:') && !left.has(event.member)) left.set(event.member, time);
        const reports = await pool([...left].slice(0, 40), 2, async ([name, time]) => ({ name, time, report: await state.api.auditSubject(name, { limit: 1000 }, { signal }) }));
        return reports.filter(({ report }) => report.objects.length > 0 && report.roles.every((role) => role.everyones));
    }).then((found) => (found.length === 0 ? empty(t('overview.left.none')) : table(t('overview.left'), [t('who'), t('left.since'), t('still.reaches')], found.map(({ name, time, report }) => [
        link(name), when(time, 'day'), h('span', {}, listed(report.objects.slice(0, 3).map((holding) => link(holding.name))), report.objects.length > 3 && ` +${report.objects.length - 3}`)]))));
}

const ranked = 8;

/** The roles that open most objects, among all. */
async function widest(signal) {
    const { roles, count } = await cached(`widest ${state.at ?? ''}`, () => state.api.roles('read', { at: state.at, limit: ranked }, { signal }));
    if (count === 0) return empty(t('role.none'));
    return h('div', {}, table(t('overview.roles'), [t('role'), t('role.opens'), t('role.members')], roles.map(({ role, objects, members }) => [link(role), number(objects), memberCount(members)])),
        h('p', { class: 'muted' }, t('overview.roles.all', { n: count })));
}

function health(statistics, signal) {
    const result = h('div');
    const verify = h('button', { type: 'button', onclick: async () => {
        verify.disabled = true;
        const stop = new AbortController();
        signal.addEventListener('abort', () => stop.abort());
        const bar = progress(() => stop.abort());
        replace(result, bar);
        try {
            for await (const line of state.api.lines('/verify', {}, { signal: stop.signal })) {
                if (line.stage) bar.show(line.done, line.total, line.stage);
                else replace(result, h('p', { class: line.sound ? 'good' : 'bad' }, t(line.sound ? 'verify.sound' : 'verify.unsound', { n: line.commits })), line.problems.map((problem) => h('p', { class: 'bad' }, problem)));
            }
        } catch (error) { replace(result, error.name === 'AbortError' ? '' : h('p', { class: 'bad' }, error.message)); }
        verify.disabled = false;
    } }, t('verify.now'));
    const behind = Date.now() - Date.parse(statistics.time);
    return [h('dl', { class: 'facts' }, h('dt', {}, t('head')), h('dd', {}, when(statistics.time, 'seconds'), ' · ', commitButton(statistics.revision)),
        h('dt', {}, t('clock')), h('dd', {}, behind < -1000 ? t('clock.ahead', { length: length(-behind) }) : t('clock.good')),
        ['backup', 'verification'].map((name) => [h('dt', {}, t(`last.${name}`)), h('dd', {}, ago(statistics[name === 'backup' ? 'lastBackup' : 'lastVerification']))]),
        h('dt', {}, t('hash.last')), h('dd', { class: 'hash' }, statistics.hash)), h('p', { class: 'muted' }, t('verify.text')), verify, result];
}

/** A time and its age; or that it never was. */
const ago = (time) => (time ? [when(time, 'seconds'), ' · ', t('ago', { length: length(Math.max(0, Date.now() - Date.parse(time))) })] : t('last.none'));

async function latest(signal) {
    const { records } = await state.api.audit({ order: 'newest', limit: 30, to: state.at }, { signal });
    if (records.length === 0) return empty(t('nothing.happened'));
    const commits = [];
    for (const record of records) {
        const same = record.outcome === 'done' && commits.at(-1)?.revision === record.revision && commits.at(-1);
        if (same) same.records.unshift(record);
        else commits.push({ ...record, records: [record] });
    }
    return h('ol', { class: 'timeline', 'aria-live': 'polite' }, commits.slice(0, 10).map((commit) => h('li', {},
        commit.outcome === 'refused' ? h('span', { class: 'citation' }, when(commit.time), ' · ', link(commit.caller), ' ', h('strong', { class: 'badge warn' }, t('refused'))) : citation(commit),
        h('ul', {}, commit.records.map((record) => h('li', {}, record.outcome === 'refused' ? [changeSentence(record.tried), h('br'), h('span', { class: 'muted' }, record.message)] : eventSentence(record.event)))))));
}

