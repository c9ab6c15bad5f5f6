// Activity: all changes and refusals, with filters, and files of all that match.
import { h, replace, save, safe } from './dom.js';
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
    const filter = { ...asked, to: asked.to || state.at };
    const body = h('tbody');
    const more = h('button', { type: 'button', class: 'more', onclick: () => load() }, t('load.more'));
    const note = h('p', { class: 'muted', role: 'status' });
    let [shown, count, cursor] = [0, 0, undefined];
    const load = async () => {
        more.disabled = true;
        // A text is looked for in the records; pages without a match are skipped.
        for (let pages = 0; pages < 20; pages += 1) {
            const page = await state.api.audit({ ...filter, order: 'newest', limit: asked.text ? 1000 : 100, cursor, count: !asked.text && !cursor ? true : undefined }, { signal });
            shown += page.records.length;
            count = page.count ?? count;
            body.append(...page.records.map(line));
            cursor = page.next;
            if (!cursor || !asked.text || page.records.length > 0) break;
        }
        more.hidden = !cursor;
        more.disabled = false;
        replace(note, shown === 0 && !cursor ? '' : asked.text ? t(cursor ? 'activity.found.so.far' : 'activity.found', { n: shown }) : shown < count ? t('activity.shown.of', { shown, n: count }) : t('activity.shown', { n: shown }));
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
            section(t('activity.lines'), h('div', { class: 'actions' }, note, saver(filter, signal)),
            shown === 0 && !cursor ? problem ?? empty(t('nothing.found')) : h('div', { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': t('activity.lines') }, h('table', {}, h('thead', {}, h('tr', {}, [t('time'), t('actor'), t('change'), t('commit')].map((column) => h('th', { scope: 'col' }, column)))), body)), more)),
    };
}

/** Buttons that save all records of a filter as a file. The service makes the file, as the tool does: oldest first. */
function saver(filter, signal) {
    const said = h('p', { class: 'muted', role: 'status' });
    const button = (title, name, type, read) => {
        const element = h('button', { type: 'button', onclick: async () => {
            element.disabled = true;
            replace(said, t('activity.saving'));
            try {
                const { text, lines } = await read();
                save(name, type, text);
                replace(said, t('activity.saved', { n: lines }));
            } catch (error) {
                if (error.status === 401) dispatchEvent(new Event('muniment-expired'));
                if (error.name !== 'AbortError') replace(said, h('strong', { class: 'bad' }, error.message));
            }
            element.disabled = false;
        } }, title);
        return element;
    };
    return [button(t('csv'), 'activity.csv', 'text/csv', async () => {
        const text = await state.api.auditTable(filter, { signal });
        // Each record is one line, below a line with the names of the columns.
        return { text, lines: text.split('\n').length - 2 };
    }), button(t('jsonl'), 'activity.jsonl', 'application/jsonl', async () => {
        const lines = [];
        for await (const record of state.api.lines('/audit', filter, { signal })) lines.push(`${JSON.stringify(record)}\n`);
        return { text: lines.join(''), lines: lines.length };
    }), said];
}

function line(record) {
    if (record.outcome === 'refused') {
        return h('tr', { class: 'refusal' }, h('td', {}, when(record.time)), h('td', {}, link(record.caller)),
            h('td', {}, h('strong', { class: 'badge warn' }, t('refused')), ' ', record.tried && changeSentence(record.tried), h('div', { class: 'muted' }, safe(record.message))), h('td', {}));
    }
    return h('tr', {}, h('td', {}, when(record.time)), h('td', {}, link(record.actor)), h('td', {}, eventSentence(record.event), record.comment && h('q', {}, safe(record.comment))),
        h('td', {}, commitButton(record.revision)));
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
