// What if: a draft of several changes, its effects, and its commit.
import { h, replace } from './dom.js';
import { actorField, changeList, commentField, effects, preview, receiptNotes } from './drafts.js';
import { field, nameField } from './names.js';
import { committed, mayChange, seesEverything, state } from './state.js';
import { empty, failure, loading, section } from './states.js';
import { t } from './texts.js';

const forms = {
    revoke: ['subject', 'object'], grant: ['subject', 'privileges', 'object'], removeMember: ['member', 'role'], addMember: ['member', 'role'], deleteRole: ['role'], deleteObject: ['object'],
    moveObject: ['object', 'parent'], setOwner: ['object', 'owner'], appointAdministrator: ['principal'], dismissAdministrator: ['principal'],
};
const kinds = { subject: ['user', 'role'], member: ['user', 'role'], role: ['role'], owner: ['user'], principal: ['user'], object: [], parent: [] };

export async function whatIfScreen({ signal }) {
    const list = h('div');
    const result = h('div');
    const actor = actorField();
    const comment = commentField();
    const outcome = h('div', { role: 'status' });
    const commit = h('button', { type: 'button', class: 'primary', onclick: () => save() }, t('draft.commit'));
    const drop = h('button', { type: 'button', onclick: () => { state.draft = []; draw(); } }, t('draft.drop'));
    const canTry = seesEverything();
    // The answer that the reader sees. Only these effects are committed.
    let shown = null;
    let latest = 0;
    let isSaving = false;

    function show(answer) {
        shown = answer;
        commit.disabled = answer.refused.length > 0;
        replace(result, effects(answer, signal));
    }
    const load = (changes) => preview(changes, actor.value || 'user:root', { signal });
    const fail = (error) => {
        if (error.status === 401) dispatchEvent(new Event('muniment-expired'));
        replace(outcome, h('strong', { class: 'bad' }, error.message));
    };

    /** Another commit has arrived: its effects on the draft are shown, and said if they are others than before. */
    async function refresh() {
        // While a commit is on its way, `save` compares the effects.
        if (!shown || isSaving) return;
        latest += 1;
        const mine = latest;
        try {
            const answer = await load([...state.draft]);
            if (mine !== latest || signal.aborted) return;
            if (!sameEffects(answer, shown)) replace(outcome, h('strong', { class: 'bad' }, t('draft.changed')));
            show(answer);
        } catch (error) { if (error.name !== 'AbortError') fail(error); }
    }

    async function draw() {
        shown = null;
        latest += 1;
        const mine = latest;
        replace(list, state.draft.length === 0 ? empty(t('draft.empty')) : changeList(state.draft, (place) => { state.draft.splice(place, 1); draw(); }));
        commit.disabled = drop.disabled = state.draft.length === 0;
        if (state.draft.length === 0) return replace(result, empty(t('draft.none')));
        const asked = [...state.draft];
        replace(result, loading());
        try {
            const answer = await load(asked);
            if (mine === latest) show(answer);
        } catch (error) { if (mine === latest && error.name !== 'AbortError') replace(result, failure(error, draw)); }
    }
    async function save() {
        commit.disabled = isSaving = true;
        replace(outcome);
        try {
            const changes = [...state.draft];
            const fresh = canTry ? await load(changes) : null;
            if (fresh?.refused.length > 0) throw new Error(fresh.refused[0].message);
            if (fresh && !sameEffects(fresh, shown)) return askAgain(fresh);
            const receipt = await state.api.transact(changes, { as: state.caller.principal ? undefined : actor.value, comment: comment.value, unchangedSince: fresh?.revision });
            state.draft = [];
            await draw();
            replace(outcome, h('strong', { class: 'good' }, receipt.revision === null ? t('draft.no.effect') : t('draft.done', { n: String(receipt.revision) })), receiptNotes(receipt));
            committed(receipt);
        } catch (error) {
            commit.disabled = false;
            if (error.status === 412) await load(state.draft).then(askAgain, fail);
            else fail(error);
        } finally {
            isSaving = false;
        }
    }
    /** Shows other effects than the reader has seen. Nothing was changed. */
    function askAgain(answer) {
        commit.disabled = false;
        latest += 1;
        show(answer);
        replace(outcome, h('strong', { class: 'bad' }, t('draft.changed')));
    }
    addEventListener('muniment-commit', refresh, { signal });
    draw();
    return {
        title: t('menu.what-if'),
        element: h('div', { class: 'screen' }, h('h1', {}, t('menu.what-if')), h('p', { class: 'muted' }, t('draft.text')), state.at !== undefined && h('p', { class: 'note' }, t('draft.now')),
            !canTry && h('p', { class: 'note' }, t('draft.not.allowed')),
            h('div', { class: 'columns wide' },
                section(t('draft.changes'), list, builder((change) => { state.draft.push(change); replace(outcome); draw(); })),
                section(t('draft.effects'), result)),
            mayChange() ? section(t('draft.commit.title'), h('div', { class: 'fields' }, actor.element, comment.element, commit, drop), outcome) : h('p', { class: 'note' }, t('read.only'))),
    };
}

/** Whether two answers have the same effects. If not all effects are listed, only answers about the same revision are the same. */
const sameEffects = (a, b) => b !== null && JSON.stringify([a.differences, a.refused]) === JSON.stringify([b.differences, b.refused])
    && ((a.complete && b.complete) || a.revision === b.revision);

/** A form for one change. */
function builder(add) {
    const parts = h('div', { class: 'fields' });
    const error = h('p', { class: 'form-error', role: 'alert' });
    let inputs = {};
    const kind = h('select', { onchange: () => draw() }, Object.keys(forms).map((op) => h('option', { value: op }, t(`op.${op}`))));
    function draw() {
        inputs = Object.fromEntries(forms[kind.value].map((name) => [name, name === 'privileges' ? field(t('privileges'), h('input', { value: 'read', required: true, autocomplete: 'off' }), t('privileges.text'))
            : nameField(t(`part.${name}`), { kinds: kinds[name], required: name !== 'parent', isPresent: true })]));
        replace(parts, Object.values(inputs));
    }
    draw();
    return h('form', { class: 'builder', onsubmit: (event) => {
        event.preventDefault();
        const change = { op: kind.value };
        for (const [name, input] of Object.entries(inputs)) change[name] = name === 'privileges' ? input.querySelector('input').value.split(/[\s,]+/).filter(Boolean) : input.value || null;
        replace(error);
        add(change);
    } }, h('div', { class: 'fields' }, field(t('change'), kind)), parts, error, h('button', { type: 'submit' }, t('draft.add')));
}
