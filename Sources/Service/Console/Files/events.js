// Events and changes as sentences.
import { commitDialog } from './commit.js';
import { h, visible } from './dom.js';
import { chips, link } from './names.js';
import { has, rich, t } from './texts.js';
import { when } from './time.js';

/** A text with links to the names in an event or a change. `otherwise`: the sentence for a kind without a text. */
function sentence(key, record, otherwise) {
    const values = {};
    for (const name of ['subject', 'object', 'member', 'role', 'parent', 'owner', 'principal', 'permission', 'class']) {
        if (typeof record[name] === 'string') values[name] = link(record[name]);
    }
    if (record.privileges) values.privileges = chips(record.privileges);
    return h('span', { class: 'sentence' }, has(key) ? rich(key, values) : otherwise, record.until && [' ', rich('until', { time: when(record.until) })]);
}

/** What happened, as a sentence with links. */
export const eventSentence = (event) => sentence(`event.${event.kind}${event.kind === 'ObjectCreated' && event.parent ? '.in' : event.kind === 'ObjectMoved' && !event.parent ? '.top' : ''}`, event, event.kind);

/** A change that somebody can make or tried to make, as a sentence with links. */
export const changeSentence = (change) => sentence(`change.${change.op}${change.op === 'revoke' && change.privileges ? '.some' : ''}${change.op === 'moveObject' && !change.parent ? '.top' : ''}`, change, t('change.other', { op: change.op }));

/** The revision of a commit. It opens the commit. */
export const commitButton = (revision) => h('button', { type: 'button', class: 'link', title: t('commit.open'), onclick: () => commitDialog(revision) }, t('revision.n', { n: String(revision) }));

/** The author of a commit, its time, its revision and its request. */
export const citation = (commit, tag = 'span') => h(tag, { class: 'citation' }, when(commit.time), ' · ', link(commit.actor), ' · ', commitButton(commit.revision),
    commit.id && h('span', { class: 'muted' }, ' · ', t('request.n', { id: visible(commit.id) })), commit.comment && h('q', {}, commit.comment));

/** The commits of a history, newest first. */
export function timeline(commits) {
    if (commits.length === 0) return h('p', { class: 'empty' }, t('nothing.happened'));
    return h('ol', { class: 'timeline' }, [...commits].reverse().map((commit) => h('li', {},
        citation(commit), h('ul', {}, commit.events.map((event) => h('li', {}, eventSentence(event)))))));
}
