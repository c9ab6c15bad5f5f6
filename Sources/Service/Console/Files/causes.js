// Causes: why a subject has its privileges on an object, since when and by whom, with one row for each cause.
import { h, row } from './dom.js';
import { link, reasons, sorted } from './names.js';
import { address, cached, state } from './state.js';
import { changesOfAccess, explain } from './paths.js';
import { cell } from './states.js';
import { rich, t } from './texts.js';
import { when } from './time.js';

/** The columns after the name. */
export const causeColumns = () => [t('may'), t('since'), t('actor'), t('because')];

/**
 * A row of a table for privileges of a subject on an object. Once the causes are known, a row for each cause replaces it.
 * `head` makes the first cell; `answer` has the revision and the time of the page.
 */
export function causeRow(head, { subject, privileges, object }, answer, place, signal) {
    const first = row([head(), reasons(subject, privileges, object), cell(() => rows(), place, signal, (found) => first.replaceWith(...found)), '', '']);
    const rows = async () => (await causes(subject, sorted(privileges), object, answer)).map((cause) => row([head(), reasons(subject, cause.privileges, object),
        cause.began ? when(cause.began.time) : '–', cause.began ? link(cause.began.actor) : '–', because(cause, subject, object)]));
    return first;
}

/** The causes of privileges, each with its way, and the change since which the subject has the privileges without a break. */
async function causes(subject, privileges, object, answer) {
    const explanation = await explain(subject, privileges, object, answer.revision);
    const ways = new Map();
    for (const privilege of privileges) {
        const way = wayOf(explanation, privilege);
        const key = JSON.stringify([way.path?.steps ?? null, way.completed?.revision ?? null, way.level]);
        ways.set(key, { ...way, privileges: [...ways.get(key)?.privileges ?? [], privilege] });
    }
    const found = await Promise.all([...ways.values()].map(async (way) => {
        const paths = explanation.levels?.find(({ level }) => level === way.level)?.paths ?? [];
        const others = paths.filter((path) => path !== way.path && gives(path, way.privileges[0])).length;
        return (await gains(subject, way.privileges, object, answer)).map(({ privileges: some, gain }) => ({ ...way, privileges: some, others, began: gain ?? way.completed,
            // Another way gave the privileges before.
            later: gain && way.completed?.revision > gain.revision ? way.completed : null }));
    }));
    return found.flat().sort((a, b) => privileges.indexOf(a.privileges[0]) - privileges.indexOf(b.privileges[0]));
}

/** Groups privileges by the change since which a subject has them without a break. The last change is first. */
async function gains(subject, privileges, object, answer) {
    const gain = await lastGain(subject, privileges, object, answer);
    if (!gain?.revision || privileges.length === 1) return [{ privileges, gain }];
    const { privileges: before } = await cached(`before ${subject} ${object} ${gain.revision}`, () => state.api.privileges(subject, object, { at: gain.revision - 1 }));
    const older = privileges.filter((privilege) => before.includes(privilege));
    if (older.length === 0 || older.length === privileges.length) return [{ privileges, gain }];
    return [{ privileges: privileges.filter((privilege) => !older.includes(privilege)), gain }, ...await gains(subject, older, object, answer)];
}

const gives = (path, privilege) => path.privileges.includes(privilege) || path.privileges.includes('*');

/** The way that has given a privilege for longest, and of several the shortest. */
function wayOf(explanation, privilege) {
    if (explanation.appointment) return { level: 'administrator', completed: explanation.appointment };
    for (const level of ['object', 'class']) {
        const ways = (explanation.levels?.find((each) => each.level === level)?.paths ?? []).filter((path) => gives(path, privilege)).map((path) => ({ level, path, completed: completion(path) }));
        const [way] = ways.sort((a, b) => (a.completed?.revision ?? 0) - (b.completed?.revision ?? 0) || a.path.steps.length - b.path.steps.length);
        if (way) return way;
    }
    return {};
}

/** The last step of a path: without it, the path was not there. */
const completion = (path) => path.steps.reduce((last, step) => (step.revision !== undefined && (!last || step.revision > last.revision) ? step : last), null);

/** The change since which a subject has all of some privileges without a break; null if it is not known. */
async function lastGain(subject, privileges, object, answer) {
    try {
        const found = await changesOfAccess(subject, privileges, object);
        return found.filter(({ gained, revision, time }) => gained && (revision ?? 0) <= answer.revision && Date.parse(time) <= Date.parse(answer.time)).at(-1) ?? null;
    } catch (error) {
        if (error.status === 403 || error.status === 404) return null;
        throw error;
    }
}

/** A cause in few words: through which roles and which entry. */
function because({ path, level, privileges, others, later }, subject, object) {
    const more = [others > 0 && [' ', h('a', { class: 'muted', href: address('why', [subject, privileges[0], object]) }, t('because.more', { n: others }))],
        later && h('div', { class: 'muted' }, rich('because.later', { time: when(later.time), actor: link(later.actor) }))];
    if (level === 'administrator') return h('span', {}, t('because.administrator.short'), more);
    const entry = path?.steps.find((step) => step.fact === 'entry' || step.fact === 'permission');
    if (!entry) return h('span', {}, more);
    const roles = path.steps.filter((step) => step.fact === 'member').map((step) => link(step.role));
    const isHere = !entry.object || entry.object === object;
    // The roles between are withheld from readers who may not know them.
    const values = { roles: h('span', {}, roles.length > 0 ? roles.flatMap((role, place) => (place === 0 ? [role] : [' › ', role])) : link(entry.subject)), entry: link(entry.subject), object: link(entry.object) };
    const kind = entry.subject === subject ? 'own' : entry.subject === 'everyone' || entry.subject === 'anonymous' ? 'everyone' : 'role';
    return h('span', {}, rich(`because.${kind}.${isHere ? 'here' : 'above'}`, values), more);
}
