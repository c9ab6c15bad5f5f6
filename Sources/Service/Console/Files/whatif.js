// What if: a draft of several changes, its effects, and its commit.
import { h, replace } from './dom.js';
import { actorField, changeList, commentField, effects, preview } from './drafts.js';
import { field, nameField } from './names.js';
import { mayChange, seesEverything, state } from './state.js';
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
    const outcome = h('p', { role: 'status' });
    const commit = h('button', { type: 'button', class: 'primary', onclick: () => save() }, t('draft.commit'));
    const drop = h('button', { type: 'button', onclick: () => { state.draft = []; draw(); } }, t('draft.drop'));
    const canTry = seesEverything();

    async function draw() {
        replace(list, state.draft.length === 0 ? empty(t('draft.empty')) : changeList(state.draft, (place) => { state.draft.splice(place, 1); draw(); }));
        commit.disabled = drop.disabled = state.draft.length === 0;
        if (state.draft.length === 0) return replace(result, empty(t('draft.none')));
        const asked = [...state.draft];
        replace(result, loading());
        try {
            const answer = await preview(asked, actor.value || 'user:root', { signal });
            if (asked.length === state.draft.length) replace(result, effects(answer));
        } catch (error) { if (error.name !== 'AbortError') replace(result, failure(error, draw)); }
    }
    async function save() {
        commit.disabled = true;
        try {
            const receipt = await state.api.transact(state.draft, { as: state.caller.principal ? undefined : actor.value, comment: comment.value });
            state.draft = [];
            await draw();
            replace(outcome, h('strong', { class: 'good' }, receipt.revision === null ? t('draft.no.effect') : t('draft.done', { n: String(receipt.revision) })));
        } catch (error) {
            commit.disabled = false;
            replace(outcome, h('strong', { class: 'bad' }, error.message));
        }
    }
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

/** A form for one change. */
function builder(add) {
    const parts = h('div', { class: 'fields' });
    const error = h('p', { class: 'form-error', role: 'alert' });
    let inputs = {};
    const kind = h('select', { onchange: () => draw() }, Object.keys(forms).map((op) => h('option', { value: op }, t(`op.${op}`))));
    function draw() {
        inputs = Object.fromEntries(forms[kind.value].map((name) => [name, name === 'privileges' ? field(t('privileges'), h('input', { value: 'read', required: true, autocomplete: 'off' }), t('privileges.text'))
            : nameField(t(`part.${name}`), { kinds: kinds[name], required: name !== 'parent' })]));
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
