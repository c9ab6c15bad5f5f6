// Previews of changes: who gains and loses what, and the form to commit them.
import { h, table } from './dom.js';
import { changeSentence } from './events.js';
import { field, gainsAndLosses, link, nameField } from './names.js';
import { state } from './state.js';
import { chunks, empty } from './states.js';
import { t } from './texts.js';

/** The principal that makes changes: the one of the token, or with a token that administers, the one that the user names. */
export function actorField() {
    const own = state.caller.principal;
    if (own) return { element: null, get value() { return own; } };
    const box = nameField(t('acting.as'), { value: state.administrators[0] ?? '', kinds: ['user', 'thing'], required: true });
    return { element: box, get value() { return box.value; } };
}

/** Asks what changes would do. */
export const preview = (changes, as, options) => state.api.whatIf([{ as, do: changes }], options);

/** Who gains and loses what, person by person. */
export function effects(answer) {
    const people = new Map();
    for (const difference of answer.differences) people.set(difference.subject, [...(people.get(difference.subject) ?? []), difference]);
    const rows = [...people].map(([subject, differences]) => ({ subject, differences, loses: differences.some(({ lost }) => lost.length > 0), gains: differences.some(({ gained }) => gained.length > 0) }));
    return h('div', { class: 'effects' },
        answer.refused.map((refusal) => h('p', { class: 'note warn', role: 'alert' }, t('draft.refused'), ' ', refusal.message)),
        !answer.complete && h('p', { class: 'note' }, t('draft.incomplete')),
        h('p', { class: 'counts', role: 'status' }, h('strong', { class: 'plus' }, t('draft.gain', { n: rows.filter((row) => row.gains).length })), ' ', h('strong', { class: 'minus' }, t('draft.lose', { n: rows.filter((row) => row.loses).length }))),
        rows.length === 0 ? empty(t('draft.nothing')) : chunks(rows, 50, (some) => table(t('draft.effects'), [t('who'), t('draft.effect')], some.map(({ subject, differences }) => [link(subject), h('ul', { class: 'plain' }, differences.slice(0, 30).map((difference) => h('li', {}, gainsAndLosses(difference), ' ', t('on'), ' ', link(difference.object))), differences.length > 30 && h('li', { class: 'muted' }, t('and.more', { n: differences.length - 30 })))]))));
}

export const changeList = (changes, remove) => h('ol', { class: 'draft' }, changes.map((change, place) => h('li', {}, changeSentence(change), remove && h('button', { type: 'button', class: 'quiet', 'aria-label': t('remove'), onclick: () => remove(place) }, '×'))));

export const commentField = () => {
    const input = h('input', { maxlength: '1000', autocomplete: 'off' });
    return { element: field(t('comment'), input, t('comment.text')), get value() { return input.value.trim() || undefined; } };
};
