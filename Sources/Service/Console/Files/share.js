// Share: who has access here; changes with a preview; undo; and a conflict that is shown and not overwritten.
import { browseObjects } from './browse.js';
import { h, replace, table, visible } from './dom.js';
import { actorField, changeList, commentField, effects, preview, receiptNotes } from './drafts.js';
import { chips, field, label, link, nameField, sorted } from './names.js';
import { describe, inherited, privilegesOf } from './object.js';
import { address, cached, committed, go, mayChange, seesEverything, state } from './state.js';
import { empty, failure, loading, part, section } from './states.js';
import { rich, t } from './texts.js';
import { fromLocal, instant, local, when } from './time.js';

/** Changes apply to the present, whatever the moment of the page. */
const present = { at: undefined };

/** The entries on an object, and the revision at which they were read. */
const readEntries = async (name, options) => {
    const entries = [];
    let revision;
    const page = async (cursor) => {
        const found = await state.api.entries(name, { limit: 10000, cursor }, options);
        revision = found.revision;
        return found;
    };
    for await (const entry of state.api.all(page, 'entries')) entries.push(entry);
    return { entries, revision };
};

export async function shareScreen({ parts: [name], signal }) {
    if (!mayChange()) return { title: t('share'), element: h('div', { class: 'screen' }, h('h1', {}, t('share')), h('p', { class: 'note' }, t('read.only'))) };
    if (!name) return browseObjects(signal);
    if (seesEverything()) await state.api.describe(name, present, { signal });
    const [{ entries, revision }, all, levels] = await Promise.all([readEntries(name, { signal }), privilegesOf(name), cached('levels', () => state.api.levels())]);
    const sets = levels.filter((level) => level.privileges.every((privilege) => all.includes(privilege)));
    const screen = h('div', { class: 'screen' });
    const used = new Set([...entries, ...sets].flatMap((entry) => entry.privileges));
    const privileges = all.filter((privilege) => !['query', 'create', 'setOwner', 'modifySchema'].includes(privilege) || used.has(privilege));
    // The user's choice: by subject, the privileges and the end.
    const wanted = new Map(entries.filter((entry) => !entry.permission).map((entry) => [entry.subject, { privileges: new Set(entry.privileges), until: entry.until }]));
    const was = new Map([...wanted].map(([subject, entry]) => [subject, { privileges: new Set(entry.privileges), until: entry.until }]));
    const [rows, result, outcome] = [h('div'), h('div'), h('div', { role: 'status' })];
    const [actor, comment] = [actorField(), commentField()];
    const save = h('button', { type: 'button', class: 'primary', disabled: true, onclick: () => commit(changes(), revision) }, t('save'));

    /** The changes that turn the entries into what the user wants. */
    function changes(from = was, to = wanted) {
        const found = [];
        for (const [subject, entry] of to) {
            const old = from.get(subject);
            if (old && same(old, entry)) continue;
            if (old) found.push({ op: 'revoke', subject, object: name });
            if (entry.privileges.size > 0) found.push({ op: 'grant', subject, object: name, privileges: sorted(entry.privileges), ...(entry.until ? { until: entry.until } : {}) });
        }
        for (const subject of from.keys()) if (!to.has(subject)) found.push({ op: 'revoke', subject, object: name });
        return found;
    }

    async function show() {
        const planned = changes();
        save.disabled = planned.length === 0;
        if (planned.length === 0) return replace(result, empty(t('share.unchanged')));
        if (!seesEverything()) return replace(result, changeList(planned));
        replace(result, loading());
        try {
            const answer = await preview(planned, actor.value, { signal });
            replace(result, changeList(planned), effects(answer, signal));
        } catch (error) { if (error.name !== 'AbortError') replace(result, failure(error, show)); }
    }

    function draw() {
        replace(rows, wanted.size === 0 ? empty(t('object.no.entries')) : table(t('share.entries'), [t('who'), ...privileges, t('end'), h('span', { class: 'visually-hidden' }, t('actions'))], [...wanted].map(([subject, entry]) => [
            link(subject), ...privileges.map((privilege) => h('input', {
                type: 'checkbox', checked: entry.privileges.has(privilege), 'aria-label': t('share.checkbox', { subject, privilege }),
                onchange: (event) => { entry.privileges[event.target.checked ? 'add' : 'delete'](privilege); show(); },
            })), h('input', {
                type: 'datetime-local', 'aria-label': t('share.end', { subject }), value: entry.until ? local(Date.parse(entry.until)) : '',
                onchange: (event) => { entry.until = event.target.value ? instant(fromLocal(event.target.value)) : undefined; show(); },
            }), h('button', { type: 'button', class: 'quiet', onclick: () => { wanted.delete(subject); draw(); show(); } }, t('remove'))])));
    }

    /** Saves the changes, unless somebody else has changed the access list after the revision that the user has seen. */
    async function commit(planned, seen, isUndo = false) {
        save.disabled = true;
        replace(outcome);
        try {
            const receipt = await state.api.transact(planned.map((change) => ({ ...change, expectRevision: seen })), { as: state.caller.principal ? undefined : actor.value, comment: comment.value });
            const undo = isUndo ? null : changes(wanted, was);
            committed(receipt);
            const next = await shareScreen({ parts: [name], signal });
            const done = h('p', { class: 'note good' }, receipt.revision === null ? t('draft.no.effect') : t(isUndo ? 'share.undone' : 'share.saved', { n: String(receipt.revision) }), ' ',
                undo?.length > 0 && h('button', { type: 'button', onclick: () => commit(undo, receipt.revision ?? receipt.head, true) }, t('undo')));
            replace(screen, ...next.element.childNodes);
            // The result of an undo is shown here, too.
            screen.insertBefore(h('div', {}, done, receiptNotes(receipt), outcome), screen.children[1]);
        } catch (error) {
            const current = error.code === 'conflict' ? await readEntries(name).catch(() => null) : null;
            if (current) return conflict(current.entries);
            if (error.status === 401) dispatchEvent(new Event('muniment-expired'));
            save.disabled = false;
            replace(outcome, h('p', { class: 'note warn' }, error.message));
        }
    }

    /** Shows what somebody else has changed since this page was opened. Nothing was saved. */
    function conflict(current) {
        replace(outcome, h('div', { class: 'note warn', role: 'alert' }, h('strong', {}, t('share.conflict')), h('p', {}, t('share.conflict.text')),
            h('ul', {}, current.map((entry) => h('li', {}, link(entry.subject), ' ', chips(entry.privileges), entry.until && [' ', rich('until', { time: when(entry.until) })]))),
            h('button', { type: 'button', onclick: () => go(address('share', [name])) }, t('share.reload'))));
    }

    draw();
    show();
    append(screen, name, rows, result, outcome, { actor, comment, save, privileges, sets, add: (subject, given, until) => { wanted.set(subject, { privileges: new Set(given), until }); draw(); show(); } }, entries);
    return { title: `${t('share')} ${name}`, element: screen };
}

const same = (a, b) => a.until === b.until && a.privileges.size === b.privileges.size && [...a.privileges].every((privilege) => b.privileges.has(privilege));

function append(screen, name, rows, result, outcome, { actor, comment, save, privileges, sets, add }, entries) {
    screen.append(h('h1', {}, rich('share.title', { name: label(name) })), state.at === undefined ? '' : h('p', { class: 'note' }, t('draft.now')), h('p', { class: 'muted' }, t('share.text'), ' ', h('a', { href: address('object', [name]) }, t('share.others'))),
        section(t('share.entries'), rows, adder(sets, privileges, add)),
        section(t('draft.effects'), result),
        section(t('save'), h('div', { class: 'fields' }, ...[actor.element, comment.element].filter(Boolean), save), outcome));
    if (seesEverything()) screen.append(section(t('share.inherited'), part(async () => { const found = await describe(name, present); return found ? inherited(found, present) : empty(t('missing.title')); })));
    const attached = entries.filter((entry) => entry.permission);
    if (attached.length > 0) screen.append(section(t('share.permissions'), table(t('share.permissions'), [t('who'), t('may'), t('permission')], attached.map((entry) => [link(entry.subject), chips(entry.privileges), link(`permission:${entry.permission}`)]))));
}

/** A form for another person or role. It offers the named sets of the store and single privileges, and gives what was chosen and no more. */
function adder(sets, privileges, add) {
    const who = nameField(t('share.add'), { kinds: ['user', 'role'], required: true, isPresent: true });
    const options = [...sets.map(({ name, privileges: given }) => ({ given, text: `${visible(name)}: ${sorted(given).map(visible).join(', ')}` })), ...privileges.map((privilege) => ({ given: [privilege], text: visible(privilege) }))];
    const choices = options.map(({ text }, place) => h('option', { value: String(place), selected: options[place].given.length === 1 && options[place].given[0] === 'read' && place >= sets.length }, text));
    const level = h('select', {}, sets.length > 0 ? [h('optgroup', { label: t('share.sets') }, choices.slice(0, sets.length)), h('optgroup', { label: t('share.single') }, choices.slice(sets.length))] : choices);
    const end = h('input', { type: 'datetime-local' });
    return h('form', { class: 'fields', onsubmit: (event) => {
        event.preventDefault();
        add(who.value, options[Number(level.value)].given, end.value ? instant(fromLocal(end.value)) : undefined);
        who.value = '';
    } }, who, field(t('share.level'), level), field(t('share.until'), end), h('button', { type: 'submit' }, t('add')));
}
