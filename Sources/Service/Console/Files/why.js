// Why: every way in which somebody has a privilege, or the changes that would give it.
import { h } from './dom.js';
import { eventSentence } from './events.js';
import { chip, chips, field, link, nameField } from './names.js';
import { privilegesOf } from './object.js';
import { changesOfAccess, explain, picture, proposals } from './paths.js';
import { address, go, state } from './state.js';
import { empty, part, section } from './states.js';
import { rich, t } from './texts.js';
import { when } from './time.js';

export async function whyScreen({ parts: [subject, privilege, object], signal }) {
    if (!object) return { title: t('menu.why'), element: h('div', { class: 'screen' }, h('h1', {}, t('menu.why')), section(t('why.ask'), question())) };
    const answer = await explain(subject, privilege, object);
    const past = state.at === undefined ? '' : '.then';
    const unknown = answer.outcomes?.find(({ decidedBy }) => decidedBy === 'unknownPrivilege')?.privilege;
    const values = { subject: link(subject), privilege: chip(privilege), object: link(object), moment: when(answer.time, 'long') };
    return {
        title: `${subject} ${privilege} ${object}`, answer,
        element: h('div', { class: 'screen' },
            h('div', { class: `verdict ${answer.allowed ? 'yes' : 'no'}` }, h('strong', {}, t(answer.allowed ? 'yes' : 'no')),
                h('h1', {}, rich(`why.${answer.allowed ? 'allowed' : 'denied'}${past}`, values))),
            !answer.complete && h('p', { class: 'note' }, t('why.incomplete')),
            unknown && h('p', { class: 'note warn' }, rich('why.unknown', { privilege: chip(unknown), privileges: chips(await privilegesOf(object)) })),
            answer.appointment && section(t('level.administrator'), picture({ steps: [] }, subject), h('p', {}, rich('because.administrator', { time: when(answer.appointment.time), actor: link(answer.appointment.actor) }))),
            answer.levels && levels(answer, subject),
            !answer.allowed && !unknown && section(t('why.proposals'), h('p', { class: 'muted' }, t('why.proposals.text')), proposals(answer)),
            !unknown && section(t('why.when'), part(() => transitions(subject, privilege, object), { signal })),
            section(t('why.ask'), question(subject, privilege, object))),
    };
}

/** The three levels that must all give a privilege, the deciding one in full. */
function levels(answer, subject) {
    const title = { store: t('level.store'), class: t('level.class'), object: t('level.object') };
    const sources = (path) => (path.through ?? []).map((source) => h('div', { class: 'through' }, h('p', {}, rich('through.link', { object: link(source.object) })),
        [...source.classLevel, ...source.objectPart].map((inner) => picture(inner, subject))));
    return h('div', { class: 'levels' }, [...answer.levels].reverse().map((level) => {
        const given = level.missing.length === 0;
        const state = h('span', { class: given ? 'given' : 'lacking' }, given ? t('level.gives') : t('level.lacks'));
        const isPart = (path) => path.privileges.length < new Set(answer.privileges).size;
        const whole = level.paths.filter((path) => !isPart(path));
        const parts = level.paths.length - whole.length;
        // Ways that give all come first.
        const paths = [...whole, ...level.paths.filter(isPart)].map((path) => [
            isPart(path) && h('p', { class: 'note part' }, rich('why.part', { privileges: chips(path.privileges) })), picture(path, subject), sources(path)]);
        const count = [whole.length > 0 && t('why.ways', { n: whole.length }), parts > 0 && t(whole.length > 0 ? 'why.parts.too' : 'why.parts.only', { n: parts })].filter(Boolean).join(' ');
        const heading = h('h2', {}, title[level.level], ' ', state);
        if (level.level === 'object') {
            return h('section', { class: 'card' }, heading, h('p', { class: 'muted' }, count || t('why.no.way')), h('div', { class: 'ways' }, paths));
        }
        return h('details', { class: 'card', open: !given }, h('summary', {}, heading), h('p', { class: 'muted' }, t(`level.${level.level}.text`)), h('div', { class: 'ways' }, paths));
    }));
}

async function transitions(subject, privilege, object) {
    const found = await changesOfAccess(subject, privilege, object);
    if (found.length === 0) return empty(t('why.never'));
    return h('ol', { class: 'timeline' }, [...found].reverse().map((transition) => h('li', { class: transition.gained ? 'gain' : 'loss' },
        h('strong', {}, t(transition.gained ? 'gained' : 'lost')), ' ', when(transition.time, 'seconds'), ' · ', link(transition.actor),
        h('ul', {}, transition.events.map((record) => h('li', {}, eventSentence(record.event)))))));
}

function question(subject = '', privilege = 'read', object = '') {
    const who = nameField(t('who'), { value: subject, kinds: ['user', 'role'], required: true });
    const what = h('input', { value: privilege, required: true, autocomplete: 'off', spellcheck: 'false' });
    const on = nameField(t('on'), { value: object, required: true });
    return h('form', { class: 'fields', onsubmit: (event) => { event.preventDefault(); go(address('why', [who.value, what.value.trim(), on.value])); } },
        who, field(t('privilege'), what), on, h('button', { type: 'submit', class: 'primary' }, t('ask')));
}
