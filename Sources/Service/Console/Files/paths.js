// Reasons: the paths from a subject to an object, as pictures and as short texts.
import { h, svg } from './dom.js';
import { changeSentence, citation } from './events.js';
import { chips, link } from './names.js';
import { cached, state, tryChanges } from './state.js';
import { rich, t } from './texts.js';
import { when } from './time.js';

/** Reads why a subject has a privilege, or several, or lacks them. With the revision of the moment, the answer serves all moments of the revision. */
export const explain = (subject, privilege, object, revision) => cached(`why ${subject} ${privilege} ${object} ${state.at === undefined ? '' : revision ?? state.at}`,
    () => ask({ subject, object, ...(Array.isArray(privilege) ? { privileges: privilege } : { privilege }) }));

/** Reads when and how a subject gained and lost a privilege, or several together, oldest first. */
export const changesOfAccess = async (subject, privilege, object) => (await cached(`changes ${subject} ${privilege} ${object}`,
    () => state.api.auditChanges(subject, privilege, object, { limit: 10000 }))).transitions;

/** The questions for the next request. A page that asks several at once sends one request. */
let waiting = null;
const questionLimit = 100;

function ask(question) {
    const { api, at } = state;
    if (!waiting || waiting.api !== api || waiting.at !== at || waiting.questions.length === questionLimit) {
        const questions = [];
        const answers = Promise.resolve().then(() => {
            if (waiting?.questions === questions) waiting = null;
            return api.explainSeveral(questions, { at });
        });
        waiting = { api, at, questions, answers };
    }
    const { questions, answers } = waiting;
    const place = questions.push(question) - 1;
    return answers.then((found) => found[place]);
}

/** The steps of a path that connect two names, in the order from the subject to the object. */
function edges(steps) {
    return steps.flatMap((step) => {
        switch (step.fact) {
        case 'member': return [{ from: step.member, to: step.role, step, text: rich('edge.member') }];
        case 'entry': return [{ from: step.subject, to: step.object, step, text: h('span', {}, rich('edge.entry', { privileges: chips(step.privileges) }), step.until && [' ', rich('until', { time: when(step.until) })]) }];
        case 'permission': return [{ from: step.subject, to: step.permission, step, text: rich('edge.permission', { privileges: chips(step.privileges) }) }];
        case 'attachment': return [{ from: step.permission, to: step.object, step, text: rich('edge.attachment') }];
        case 'child': return [{ from: step.parent, to: step.object, step, text: rich('edge.child') }];
        case 'link': return [{ from: step.from, to: step.to, step, text: rich('edge.link') }];
        default: return [];
        }
    });
}

const arrow = () => svg('svg', { class: 'arrow', viewBox: '0 0 16 44', 'aria-hidden': 'true' }, svg('path', { d: 'M8 0v38M3 33l5 6 5-6' }));

function edge({ step, text }) {
    return h('li', { class: 'edge' }, arrow(), h('div', {}, h('div', { class: 'edge-text' }, text), citation(step, 'div')));
}

/** A path as a picture: the subject, its roles, the folder, the object. */
export function picture(path, subject) {
    const found = edges(path.steps);
    const first = found[0]?.from ?? path.as ?? subject;
    const start = path.as && path.as !== subject && (path.as === 'everyone' || path.as === 'anonymous');
    return h('ol', { class: 'path' },
        start && [h('li', { class: 'node subject' }, link(subject)), h('li', { class: 'edge' }, arrow(), h('div', {}, h('div', { class: 'edge-text' }, t(path.as === 'everyone' ? 'edge.everyone' : 'edge.anonymous'))))],
        h('li', { class: `node ${start ? '' : 'subject'}` }, link(first)),
        found.map((each, place) => [edge(each), h('li', { class: `node ${place === found.length - 1 ? 'target' : ''}` }, link(each.to))]),
        path.steps.filter((step) => step.fact === 'options' && found.some((each) => each.step.fact === 'child'))
            .map((step) => h('li', { class: 'path-note muted' }, rich('path.inherits', { class: link(step.class) }))));
}

/** Changes that would allow something, each with a link that tries it. */
export function proposals(explanation) {
    const found = explanation.proposals ?? [];
    if (explanation.obstacle) return h('p', {}, explanation.obstacle);
    if (found.length === 0) return h('p', { class: 'muted' }, t('proposals.none'));
    return h('ul', { class: 'proposals' }, found.map((changes) => h('li', {}, changes.map((change) => [changeSentence(change), ' ']),
        h('button', { type: 'button', onclick: () => tryChanges([...state.draft, ...changes]) }, t('try.it')))));
}
