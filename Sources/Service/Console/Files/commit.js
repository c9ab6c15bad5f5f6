// A commit in a dialog: all its events, its origin and its hash.
import { h, replace, safe } from './dom.js';
import { eventSentence } from './events.js';
import { link } from './names.js';
import { address, state } from './state.js';
import { failure, loading } from './states.js';
import { t } from './texts.js';
import { when } from './time.js';

export async function commitDialog(revision) {
    const body = h('div', {}, loading());
    const dialog = h('dialog', { class: 'commit', 'aria-labelledby': 'commit-title', onclose: () => dialog.remove() },
        h('h2', { id: 'commit-title' }, t('commit.title', { n: String(revision) })), h('p', { class: 'muted' }, t('commit.text')), body,
        h('form', { method: 'dialog' }, h('button', {}, t('close'))));
    document.body.append(dialog);
    dialog.showModal();
    try {
        const { records } = await state.api.audit({ from: revision, to: revision, outcome: 'done', limit: 1000 });
        const [first] = records;
        const facts = [[t('time'), when(first?.time, 'seconds')], [t('actor'), link(first?.actor)], [t('request.id'), safe(first?.id ?? '–')],
            [t('comment'), safe(first?.comment ?? '–')], [t('credential'), safe(first?.credential ?? '–')]];
        const hash = h('dd', {}, '…');
        replace(body, h('dl', { class: 'facts' }, facts.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]), h('dt', {}, t('hash')), hash),
            h('ul', { class: 'sentences' }, records.map((record) => h('li', {}, eventSentence(record.event)))),
            revision > 0 && h('p', {}, h('a', { href: address('', [], { at: String(revision) }) }, t('commit.at')), ' · ',
                h('a', { href: address('', [], { at: String(revision - 1) }) }, t('commit.before'))));
        hash.textContent = await hashOf(revision);
    } catch (error) { replace(body, failure(error)); }
}

/** Only the feed of commits contains hashes; it needs the right to administer. */
async function hashOf(revision) {
    if (state.caller.right !== 'administer' || revision === 0) return '–';
    const stop = new AbortController();
    try {
        for await (const event of state.api.feed('/commits', { after: revision - 1 }, { signal: stop.signal })) return event.data.hash;
    } catch { /* The token may not follow commits. */ } finally { stop.abort(); }
    return '–';
}
