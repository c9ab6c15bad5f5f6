// Events and changes as sentences.
import { h } from './dom.js';
import { chips, link } from './names.js';
import { has, rich, t } from './texts.js';
import { when } from './time.js';

/** What happened, as a sentence with links. */
export function eventSentence(event) {
    const key = `event.${event.kind}${event.kind === 'ObjectCreated' && event.parent ? '.in' : event.kind === 'ObjectMoved' && !event.parent ? '.top' : ''}`;
    const values = {};
    for (const name of ['subject', 'object', 'member', 'role', 'parent', 'owner', 'principal', 'permission', 'class']) {
        if (event[name]) values[name] = link(event[name]);
    }
    if (event.privileges) values.privileges = chips(event.privileges);
    const sentence = has(key) ? rich(key, values) : event.kind;
    return h('span', { class: 'sentence' }, sentence, event.until && [' ', rich('until', { time: when(event.until) })]);
}

/** A change that somebody can make or tried to make, as a sentence with links. */
export function changeSentence(change) {
    const values = {};
    for (const name of ['subject', 'object', 'member', 'role', 'parent', 'owner', 'principal', 'permission', 'class']) {
        if (typeof change[name] === 'string') values[name] = link(change[name]);
    }
    if (change.privileges) values.privileges = chips(change.privileges);
    const key = `change.${change.op}${change.op === 'revoke' && change.privileges ? '.some' : ''}${change.op === 'moveObject' && !change.parent ? '.top' : ''}`;
    return h('span', { class: 'sentence' }, has(key) ? rich(key, values) : t('change.other', { op: change.op }),
        change.until && [' ', rich('until', { time: when(change.until) })]);
}

/** The author of a commit, its time and its name in the log. */
export function citation(commit) {
    return h('span', { class: 'citation' }, when(commit.time), ' · ', link(commit.actor), ' · ', h('button', {
        class: 'link', type: 'button', title: t('commit.open'), onclick: () => openCommit(commit.revision),
    }, `r${commit.revision}`), commit.id && h('span', { class: 'muted' }, ' ', commit.id), commit.comment && h('q', {}, commit.comment));
}

let opener = () => {};
export const setCommitOpener = (open) => { opener = open; };
export const openCommit = (revision) => opener(revision);

/** The commits of a history, newest first. */
export function timeline(commits) {
    if (commits.length === 0) return h('p', { class: 'empty' }, t('nothing.happened'));
    return h('ol', { class: 'timeline' }, [...commits].reverse().map((commit) => h('li', {},
        citation(commit), h('ul', {}, commit.events.map((event) => h('li', {}, eventSentence(event)))))));
}
