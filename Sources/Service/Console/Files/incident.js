// Incident: who was exposed to what in a span of time that is not today's state, as a table to hand over.
import { csv, h, pool, save, table } from './dom.js';
import { momentField } from './compare.js';
import { readSpans } from './lanes.js';
import { chip, field, link, nameField, objectClasses } from './names.js';
import { address, cached, go, pages, state } from './state.js';
import { chunks, empty, lengthy, section } from './states.js';
import { t } from './texts.js';
import { instant, length, millis, momentMillis, when } from './time.js';

const hour = 3600000;

export async function incidentScreen({ query, signal }) {
    const { from = '', to = '', object = '', privilege = 'read' } = query;
    const element = h('div', { class: 'screen' }, h('h1', {}, t('menu.incident')), h('p', { class: 'muted' }, t('incident.text')), section(t('incident.span'), form(from && to ? { from, to } : { ...await usualSpan(), ...(from && { from }), ...(to && { to }) }, object, privilege)));
    if (from && to) element.append(section(t('incident.exposed'), exposed(from, to, object, privilege, signal)));
    return { title: t('menu.incident'), element };
}

/** The span that the form proposes: two hours around the moment of the page, or the 24 hours before the last change. */
async function usualSpan() {
    if (state.at !== undefined) {
        const moment = millis(await momentOf(state.at));
        return { from: instant(moment - hour), to: instant(moment + hour) };
    }
    const { revision, time } = await cached('statistics', () => state.api.statistics());
    if (revision === 0) return {};
    // The field has whole seconds. The span contains the last change.
    const last = Math.ceil(millis(time) / 1000) * 1000;
    return { from: instant(last - 24 * hour), to: instant(last) };
}

function form({ from, to }, object, privilege) {
    const start = momentField(t('from'), from);
    const end = momentField(t('to'), to);
    const on = nameField(t('incident.object'), { value: object });
    const what = h('input', { value: privilege, required: true, autocomplete: 'off' });
    return h('form', { class: 'fields', onsubmit: (event) => { event.preventDefault(); go(address('incident', [], { from: start.moment, to: end.moment, object: on.value, privilege: what.value.trim() })); } },
        start, end, on, field(t('privilege'), what), h('button', { type: 'submit', class: 'primary' }, t('show')));
}

/** The objects to look at: one with everything in it, or all objects that existed at the end of the span. */
async function objects(name, to, signal) {
    const found = name ? [name] : [];
    const add = async (query) => {
        for await (const each of state.api.all((cursor) => state.api.names({ ...query, at: cursor ? undefined : to, limit: 10000, cursor }, { signal }), 'names')) found.push(each);
    };
    const classes = name ? [] : objectClasses((await state.api.names({ class: 'class', limit: 1000 }, { signal })).names);
    for (const each of classes) await add({ class: each });
    if (name) for (let place = 0; place < found.length && found.length < 10000; place += 1) await add({ parent: found[place] });
    return found;
}

/** The subjects with a privilege on an object today. */
async function holders(privilege, object, signal) {
    const found = new Set();
    for await (const page of pages((cursor) => state.api.who(privilege, object, { limit: 10000, cursor }, { signal }))) {
        for (const subject of [...page.subjects, ...page.administrators ?? []]) found.add(subject);
    }
    return found;
}

function exposed(from, to, object, privilege, signal) {
    return lengthy(signal, async (stop, bar) => {
        const list = await objects(object, to, stop);
        const start = millis(await momentOf(from));
        const isWithin = (span) => span.until !== undefined && !span.existedBefore && millis(span.from) > start;
        let done = 0;
        const found = (await pool(list, 6, async (name) => {
            const [then, present] = await Promise.all([readSpans(privilege, name, { from, to }, stop), holders(privilege, name, stop)]);
            bar.show(done += 1, list.length, t('incident.progress'));
            const isPublic = present.has('everyone') || present.has('anonymous');
            const hasAccess = (subject) => present.has(subject) || (isPublic && subject !== 'anonymous');
            // Access that a subject got and lost in the span is listed even if that subject has access again today.
            return then.access.filter(({ spans }) => !spans.every((span) => span.asAdministrator))
                .flatMap(({ subject, spans }) => spans.filter((span) => !hasAccess(subject) || isWithin(span)).map((span) => ({ object: name, subject, span })));
        })).flat();
        found.sort((a, b) => (a.span.from < b.span.from ? -1 : 1));
        return found.length === 0 ? empty(t('incident.none')) : [
            h('p', {}, t('incident.count', { n: new Set(found.map(({ subject }) => subject)).size }), ' ', t('incident.objects', { n: new Set(found.map((row) => row.object)).size })),
            h('button', { type: 'button', onclick: () => save('incident.csv', 'text/csv', csv(['subject', 'object', 'privilege', 'from', 'until', 'revision_begin', 'revision_end'], found.map(({ object: name, subject, span }) => [subject, name, privilege, span.existedBefore ? '' : span.from, span.until, span.existedBefore ? '' : span.begin, span.end]))) }, t('csv')),
            rows(t('incident.only'), found.filter(({ span }) => isWithin(span)), privilege), rows(t('incident.also'), found.filter(({ span }) => !isWithin(span)), privilege)];
    });
}

/** The time of a moment. */
const momentOf = async (at) => (momentMillis(at) === null ? (await state.api.administrators({ at })).time : instant(momentMillis(at)));

function rows(title, found, privilege) {
    if (found.length === 0) return null;
    return [h('h3', { class: 'group' }, title), chunks(found, 100, (some) => table(title, [t('who'), t('may'), t('object'), t('from'), t('end'), t('duration')], some.map(({ object: name, subject, span }) => [
        link(subject), chip(privilege, { href: address('why', [subject, privilege, name], { at: span.from }) }), link(name, { at: span.from }), span.existedBefore ? t('incident.earlier') : when(span.from), span.until ? when(span.until) : t('incident.later'),
        span.until && !span.existedBefore ? length(millis(span.until) - millis(span.from)) : '–'])))];
}
