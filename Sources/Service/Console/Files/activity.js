// Activity: all changes and refusals, with filters, and files of what is shown.
import { csv, h, replace, save, safe } from './dom.js';
import { changeSentence, commitButton, eventSentence } from './events.js';
import { momentField } from './compare.js';
import { field, link, nameField } from './names.js';
import { address, go, state } from './state.js';
import { empty, failure, section } from './states.js';
import { t } from './texts.js';
import { when } from './time.js';

const kinds = ['AccessGranted', 'AccessRevoked', 'AccessExpired', 'MemberAdded', 'MemberRemoved', 'RoleCreated', 'RoleDeleted', 'ObjectCreated', 'ObjectWritten', 'ObjectMoved', 'ObjectDeleted',
    'OwnerChanged', 'PrincipalRegistered', 'ClassDefined', 'ClassChanged', 'PermissionDefined', 'PermissionChanged', 'PermissionAttached', 'PermissionDetached', 'AdministratorAppointed', 'AdministratorDismissed'];
const names = ['actor', 'subject', 'object', 'kind', 'outcome', 'from', 'to', 'text'];

export async function activityScreen({ query, signal }) {
    const asked = Object.fromEntries(names.map((name) => [name, query[name] ?? '']));
    const shown = [];
    const body = h('tbody');
    const more = h('button', { type: 'button', class: 'more', onclick: () => load() }, t('load.more'));
    const note = h('p', { class: 'muted', role: 'status' });
    let cursor;
    const load = async () => {
        more.disabled = true;
        const { text, ...filter } = asked;
        // A text is looked for in the records; pages without a match are skipped.
        for (let pages = 0; pages < 20; pages += 1) {
            const page = await state.api.audit({ ...filter, to: filter.to || state.at, order: 'newest', limit: text ? 1000 : 100, cursor }, { signal });
            const found = text ? page.records.filter((record) => matches(record, text)) : page.records;
            shown.push(...found);
            body.append(...found.map(line));
            cursor = page.next;
            if (!cursor || !text || found.length > 0) break;
        }
        more.hidden = !cursor;
        more.disabled = false;
        replace(note, shown.length === 0 ? '' : t('activity.shown', { n: shown.length }));
    };
    let problem = null;
    try { await load(); } catch (error) {
        // The form stays, so that the reader can correct it.
        if (error.name === 'AbortError' || error.status === 401 || error.status === 0) throw error;
        problem = failure(error);
    }
    return {
        title: t('menu.activity'),
        element: h('div', { class: 'screen' }, h('h1', {}, t('menu.activity')), section(t('filter'), form(asked)),
            section(t('activity.lines'), h('div', { class: 'actions' }, note, h('button', { type: 'button', onclick: () => save('activity.csv', 'text/csv', asCSV(shown)) }, t('csv')),
                h('button', { type: 'button', onclick: () => save('activity.jsonl', 'application/jsonl', shown.map((record) => `${JSON.stringify(record)}\n`).join('')) }, t('jsonl'))),
            shown.length === 0 ? problem ?? empty(t('nothing.found')) : h('div', { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': t('activity.lines') }, h('table', {}, h('thead', {}, h('tr', {}, [t('time'), t('actor'), t('change'), t('commit')].map((column) => h('th', { scope: 'col' }, column)))), body)), more)),
    };
}

/** Whether a name, a comment or a privilege in a record contains a text. */
function matches(record, text) {
    const wanted = text.toLowerCase();
    const look = (value) => (typeof value === 'string' ? value.toLowerCase().includes(wanted) : value !== null && typeof value === 'object' && Object.values(value).some(look));
    return look({ event: record.event, tried: record.tried, actor: record.actor, caller: record.caller, comment: record.comment, message: record.message });
}

function line(record) {
    if (record.outcome === 'refused') {
        return h('tr', { class: 'refusal' }, h('td', {}, when(record.time)), h('td', {}, link(record.caller)),
            h('td', {}, h('strong', { class: 'badge warn' }, t('refused')), ' ', record.tried && changeSentence(record.tried), h('div', { class: 'muted' }, safe(record.message))), h('td', {}));
    }
    return h('tr', {}, h('td', {}, when(record.time)), h('td', {}, link(record.actor)), h('td', {}, eventSentence(record.event), record.comment && h('q', {}, safe(record.comment))),
        h('td', {}, commitButton(record.revision)));
}

function asCSV(records) {
    return csv(['time', 'outcome', 'actor', 'kind', 'subject', 'object', 'privileges', 'revision', 'comment'], records.map((record) => {
        const event = record.event ?? record.tried ?? {};
        return [record.time, record.outcome, record.actor ?? record.caller, event.kind ?? event.op, event.subject ?? event.member ?? event.principal, event.object ?? event.role ?? event.class, (event.privileges ?? []).join(' '), record.revision, record.comment];
    }));
}

function form(asked) {
    const select = (name, options) => h('select', { name }, options.map(([value, text]) => h('option', { value, selected: value === asked[name] }, text)));
    const actor = nameField(t('actor'), { value: asked.actor, kinds: ['user', 'thing'] });
    const subject = nameField(t('activity.subject'), { value: asked.subject, kinds: ['user', 'role'] });
    const object = nameField(t('activity.object'), { value: asked.object });
    const kind = select('kind', [['', t('any')], ...kinds.map((each) => [each, t(`kind.${each}`)])]);
    const outcome = select('outcome', [['', t('any')], ['done', t('done')], ['refused', t('refused')]]);
    const [from, to] = [momentField(t('from'), asked.from || undefined), momentField(t('to'), asked.to || undefined)];
    const text = h('input', { type: 'search', value: asked.text });
    return h('form', { class: 'fields', onsubmit: (event) => {
        event.preventDefault();
        go(address('activity', [], { actor: actor.value, subject: subject.value, object: object.value, kind: kind.value, outcome: outcome.value, from: from.moment, to: to.moment, text: text.value.trim() }));
    } }, actor, subject, object, field(t('activity.kind'), kind), field(t('activity.outcome'), outcome), from, to, field(t('activity.text'), text), h('button', { type: 'submit', class: 'primary' }, t('show')));
}
