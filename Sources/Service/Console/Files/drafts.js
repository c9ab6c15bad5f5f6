// Previews of changes: who gains and loses what, and the form to commit them.
import { h, replace, safe, table } from './dom.js';
import { changeSentence } from './events.js';
import { chip, field, gainsAndLosses, link, nameField, sorted } from './names.js';
import { cached, state } from './state.js';
import { cell, chunks, empty } from './states.js';
import { rich, t } from './texts.js';

/** The principal that makes changes: the one of the token, or with a token that administers, the one that the user names. */
export function actorField() {
    const own = state.caller.principal;
    if (own) return { element: null, get value() { return own; } };
    const box = nameField(t('acting.as'), { value: state.administrators[0] ?? '', kinds: ['user', 'thing'], required: true, isPresent: true });
    return { element: box, get value() { return box.value; } };
}

/** Asks what changes would do. */
export const preview = (changes, as, options) => state.api.whatIf([{ as, do: changes }], options);

/** Who gains and loses what, person by person, and who keeps access to the same objects. */
export function effects(answer, signal) {
    const people = new Map();
    for (const difference of answer.differences) people.set(difference.subject, [...(people.get(difference.subject) ?? []), difference]);
    const rows = [...people].map(([subject, differences]) => ({ subject, differences, loses: differences.some(({ lost }) => lost.length > 0), gains: differences.some(({ gained }) => gained.length > 0) }));
    return h('div', { class: 'effects' },
        answer.refused.map((refusal) => h('p', { class: 'note warn', role: 'alert' }, t('draft.refused'), ' ', refusal.message)),
        !answer.complete && h('p', { class: 'note' }, t('draft.incomplete')),
        h('p', { class: 'counts', role: 'status' }, h('strong', { class: 'plus' }, t('draft.gain', { n: rows.filter((row) => row.gains).length })), ' ', h('strong', { class: 'minus' }, t('draft.lose', { n: rows.filter((row) => row.loses).length }))),
        rows.length === 0 ? empty(t('draft.nothing')) : chunks(rows, 50, (some) => table(t('draft.effects'), [t('who'), t('draft.effect')], some.map(({ subject, differences }) => [link(subject), h('ul', { class: 'plain' }, differences.slice(0, 30).map((difference) => h('li', {}, gainsAndLosses(difference), ' ', t('on'), ' ', link(difference.object))), differences.length > 30 && h('li', { class: 'muted' }, t('and.more', { n: differences.length - 30 })))]))),
        // If not all losses are listed, the page cannot tell who keeps access.
        answer.complete && rows.length > 0 && keepers(answer, signal));
}

/** For each affected object, how many people keep the first privilege that others lose on it, with a list on demand. */
function keepers(answer, signal) {
    const objects = new Map();
    for (const { object, subject, gained, lost } of answer.differences) {
        const found = objects.get(object) ?? { lost: new Set(), gained: new Set(), differences: [] };
        lost.forEach((privilege) => found.lost.add(privilege));
        gained.forEach((privilege) => found.gained.add(privilege));
        found.differences.push({ subject, lost });
        objects.set(object, found);
    }
    return h('div', {}, h('h3', { class: 'group' }, t('draft.keep')), h('p', { class: 'muted' }, t('draft.keep.text')), chunks([...objects], 12, (some, start) => table(t('draft.keep'), [t('object'), t('draft.keep')], some.map(([object, found], place) => {
        const [privilege] = sorted(found.lost.size > 0 ? found.lost : found.gained);
        const losers = new Set(found.differences.filter(({ lost }) => lost.includes(privilege)).map(({ subject }) => subject));
        return [link(object), cell(async () => keeperList(privilege, await keepersOf(privilege, object, losers)), start + place, signal)];
    }))));
}

const keeperLimit = 1000;

/** Reads the subjects that have a privilege now, without those that lose it. */
async function keepersOf(privilege, object, losers) {
    const { subjects, next } = await cached(`who ${privilege} ${object}`, () => state.api.who(privilege, object, { limit: keeperLimit }));
    // An answer with `everyone` does not list the people with entries of their own.
    const isUnlisted = subjects.some((subject) => isEveryone(subject) && losers.has(subject));
    return { subjects: subjects.filter((subject) => !losers.has(subject)), isCut: next !== undefined, isUnlisted };
}

const isEveryone = (subject) => subject === 'everyone' || subject === 'anonymous';

function keeperList(privilege, { subjects, isCut, isUnlisted }) {
    const values = { n: subjects.length, privilege: chip(privilege) };
    if (subjects.some(isEveryone)) return rich('draft.keep.everyone', values);
    if (isUnlisted) return rich('draft.keep.unlisted', values);
    if (subjects.length === 0 && !isCut) return rich('draft.keep.none', values);
    const box = h('div');
    const fill = () => box.childElementCount === 0 && replace(box, isCut && h('p', { class: 'note' }, t('draft.keep.cut', { n: keeperLimit })),
        chunks(subjects, 50, (some) => h('ul', { class: 'names' }, some.map((subject) => h('li', {}, link(subject))))));
    return h('details', { ontoggle: fill }, h('summary', {}, rich(isCut ? 'draft.keep.some' : 'draft.keep.n', values)), box);
}

export const changeList = (changes, remove) => h('ol', { class: 'draft' }, changes.map((change, place) => h('li', {}, changeSentence(change), remove && h('button', { type: 'button', class: 'quiet', 'aria-label': t('remove'), onclick: () => remove(place) }, '×'))));

/** What the caller should know about the changes of a commit. */
export const receiptNotes = ({ notes = [] }) => notes.length > 0 && h('div', { class: 'note warn' }, t('receipt.notes'), h('ul', {}, notes.map(({ message }) => h('li', {}, safe(message)))));

export const commentField = () => {
    const input = h('input', { maxlength: '1000', autocomplete: 'off' });
    return { element: field(t('comment'), input, t('comment.text')), get value() { return input.value.trim() || undefined; } };
};
