// Lanes: for each person a row, in it a bar for each privilege from its begin to its end.
import { h, replace, safe, svg } from './dom.js';
import { eventSentence } from './events.js';
import { chip, label, link, sorted, tone } from './names.js';
import { changesOfAccess } from './paths.js';
import { address, cached, go, pages, state } from './state.js';
import { chunks } from './states.js';
import { rich, t } from './texts.js';
import { format, instant, length, millis, ticks, when } from './time.js';

const day = 86400000;
const zooms = [['zoom.all', null], ['zoom.year', 366 * day], ['zoom.month', 31 * day], ['zoom.day', day], ['zoom.hour', 2 * 3600000]];

/** The lanes on the page. They stay while the reader moves through time, with their zoom. */
let shown = null;

/** Returns the lanes of an object. `access`: a map from subject to a map from privilege to spans. */
export function lanes(object, access, privileges, moment) {
    const key = sorted(privileges).join();
    if (shown?.access !== access || shown.key !== key) shown = { access, key, ...build(object, access, privileges) };
    shown.moveTo(moment);
    return shown.element;
}

function build(object, access, privileges) {
    const all = state.span ?? { from: Math.min(...spansOf(access).map((span) => millis(span.from))), to: Date.now() };
    const view = { from: all.from, to: all.to };
    const details = h('p', { class: 'lane-details', role: 'status' }, t('lanes.hint'));
    const axis = h('div', { class: 'lane-axis' });
    const marker = h('div', { class: 'lane-moment' });
    const rows = h('div', { class: 'lane-rows' });
    const buttons = h('div', { class: 'zoom', role: 'group', 'aria-label': t('zoom') });
    let chosen = null;
    let moment = null;
    /** The round times on the axis. */
    let round = [];

    function zoomTo(width) {
        chosen = width;
        const center = moment ?? all.to;
        view.from = width === null ? all.from : center - width / 2;
        view.to = width === null ? all.to : center + width / 2;
        draw();
    }
    function pan(by) {
        const width = view.to - view.from;
        view.from += width * by;
        view.to += width * by;
        draw();
    }
    const x = (time) => ((time - view.from) / (view.to - view.from)) * 1000;

    function bar(subject, privilege, span, place) {
        const from = millis(span.from);
        const to = span.until ? millis(span.until) : all.to;
        if (to < view.from || from > view.to) return null;
        const left = Math.max(0, x(from));
        const words = t('lane.bar', { subject, privilege, from: format(from), until: span.until ? format(to) : t('today') });
        const show = () => showBar(details, object, subject, privilege, span);
        return svg('rect', {
            class: `bar ${tone(privilege)} ${span.asAdministrator ? 'administrator' : ''}`, x: left.toFixed(2), width: Math.max(3, Math.min(1000, x(to)) - left).toFixed(2),
            y: 3 + place * 7, height: 6, tabindex: '0', role: 'img', 'aria-label': words, onmouseenter: show, onfocus: show,
        }, svg('title', {}, words));
    }

    function lane([subject, byPrivilege]) {
        const isAdministrator = [...byPrivilege.values()].flat().every((span) => span.asAdministrator);
        const held = isAdministrator ? [...byPrivilege.keys()].slice(0, 1) : sorted(privileges).filter((privilege) => byPrivilege.get(privilege)?.length > 0);
        const height = 6 + Math.max(1, held.length) * 7;
        const picture = svg('svg', { viewBox: `0 0 1000 ${height}`, preserveAspectRatio: 'none', class: 'lane-picture', height },
            round.map(({ place }) => svg('line', { class: 'tick', x1: place.toFixed(2), x2: place.toFixed(2), y1: 0, y2: height })),
            held.map((privilege, place) => byPrivilege.get(privilege).map((span) => bar(subject, privilege, span, place))),
            svg('line', { class: 'moment-line', y1: 0, y2: height }));
        mark(picture);
        // A click on the time axis moves the whole page to that moment.
        picture.addEventListener('click', (event) => {
            const box = picture.getBoundingClientRect();
            const time = view.from + ((event.clientX - box.left) / box.width) * (view.to - view.from);
            go(address('object', [object], { at: instant(Math.round(time / 1000) * 1000) }));
        });
        return h('div', { class: 'lane' }, h('div', { class: 'lane-name' }, link(subject), isAdministrator && h('span', { class: 'muted' }, ' ', t('person.administrator'))), picture);
    }

    /** Moves the line of the moment. Without a moment, the line shows the present. */
    function mark(picture) {
        const line = picture.querySelector('.moment-line');
        const place = x(moment ?? all.to);
        const isInView = place >= 0 && place <= 1000;
        line.style.display = isInView ? '' : 'none';
        if (isInView) for (const end of ['x1', 'x2']) line.setAttribute(end, place.toFixed(2));
    }

    /** Writes the moment above its line. */
    function labelMoment() {
        const place = x(moment ?? all.to) / 10;
        if (place < 0 || place > 100) return replace(marker);
        const text = h('span', { style: { left: `${place}%`, transform: `translateX(-${place}%)` } }, moment === null ? t('now') : when(instant(moment), Number.isInteger(moment / 60000) ? 'full' : 'seconds'));
        return replace(marker, text);
    }

    function moveTo(time) {
        if (moment === time) return;
        moment = time;
        if (chosen !== null) return zoomTo(chosen);
        rows.querySelectorAll('.lane-picture').forEach(mark);
        return labelMoment();
    }

    function draw() {
        replace(buttons, zooms.map(([key, width]) => h('button', { type: 'button', 'aria-pressed': String(width === chosen), onclick: () => zoomTo(width) }, t(key))),
            h('button', { type: 'button', 'aria-label': t('zoom.earlier'), title: t('zoom.earlier'), disabled: chosen === null, onclick: () => pan(-0.5) }, '←'),
            h('button', { type: 'button', 'aria-label': t('zoom.later'), title: t('zoom.later'), disabled: chosen === null, onclick: () => pan(0.5) }, '→'));
        round = ticks(view.from, view.to).map(({ time, text }) => ({ place: x(time), text }));
        replace(axis, round.map(({ place, text }) => h('span', { style: { left: `${Math.min(96, Math.max(4, place / 10))}%` } }, text)));
        labelMoment();
        replace(rows, chunks([...access], 50, (some) => h('div', {}, some.map(lane))));
    }
    draw();
    const element = h('div', { class: 'lanes' }, h('div', { class: 'lane-head' }, h('div', { class: 'legend' }, sorted(privileges).map((privilege) => h('span', {}, swatch(privilege), safe(privilege)))), buttons),
        h('div', { class: 'lane' }, h('div', { class: 'lane-name' }, t('lanes.moment')), h('div', {}, axis, marker)), rows, details);
    return { element, moveTo };
}

const swatch = (privilege) => svg('svg', { class: 'swatch', viewBox: '0 0 10 10', 'aria-hidden': 'true' }, svg('rect', { class: `bar ${tone(privilege)}`, width: 10, height: 10 }));
const spansOf = (access) => [...access.values()].flatMap((byPrivilege) => [...byPrivilege.values()].flat());

/** Shows which events began and ended a bar. */
async function showBar(box, object, subject, privilege, span) {
    const ended = span.until && length(millis(span.until) - millis(span.from));
    const begin = [label(subject), ' ', chip(privilege), ' ', rich(span.until ? 'lane.span' : 'lane.since', { from: when(span.from, 'seconds'), until: when(span.until, 'seconds'), length: ended })];
    replace(box, begin);
    try {
        const transitions = await changesOfAccess(subject, privilege, object);
        const causes = transitions.filter(({ revision }) => revision === span.begin || revision === span.end);
        if (box.firstChild !== begin[0]) return;
        box.append(...causes.map((transition) => h('span', { class: 'cause' }, t(transition.gained ? 'began.by' : 'ended.by'), ' ',
            link(transition.actor), ': ', transition.events.map((record) => [eventSentence(record.event), ' ']).flat())));
    } catch { /* The reader may not know the causes. */ }
}

/** The number of people whose spans the page of an object reads, for each privilege. */
const subjectLimit = 20000;

/** The spans of the subjects with a privilege on an object, page by page up to a limit, and whether there are more subjects. */
export async function readSpans(privilege, object, { from, to, limit = Infinity }, signal) {
    const access = [];
    for await (const page of pages((cursor) => state.api.auditAccess(privilege, object, { from, to: cursor ? undefined : to, limit: 10000, cursor }, { signal }))) {
        access.push(...page.access);
        if (page.next && access.length >= limit) return { access, isPartial: true };
    }
    return { access, isPartial: false };
}

/**
 * Reads all spans of an object: a map from subject to its spans by privilege. `to`: a moment in the future, to which entries can expire;
 * undefined for the present.
 */
export function readAccess(object, privileges, to, signal) {
    return cached(`access ${object} ${to ?? ''}`, async () => {
        const answers = await Promise.all(privileges.map((privilege) => readSpans(privilege, object, { to, limit: subjectLimit }, signal)));
        const access = new Map();
        answers.forEach((answer, place) => {
            for (const { subject, spans } of answer.access) {
                if (!access.has(subject)) access.set(subject, new Map());
                access.get(subject).set(privileges[place], spans);
            }
        });
        access.isPartial = answers.some((answer) => answer.isPartial);
        return access;
    });
}

/** The privileges of each subject at a moment. An entry can expire before the log has a revision for its end. */
export function accessAt(access, { revision, time }) {
    const isHeld = (span) => span.begin <= revision && (span.end === undefined ? !(millis(span.until) <= millis(time)) : revision < span.end);
    const found = [];
    for (const [subject, byPrivilege] of access) {
        const held = [...byPrivilege].filter(([, spans]) => spans.some(isHeld));
        if (held.length === 0) continue;
        const isAdministrator = held.some(([, spans]) => spans.some((span) => span.asAdministrator && isHeld(span)));
        found.push({ subject, privileges: held.map(([privilege]) => privilege), isAdministrator });
    }
    return found;
}
