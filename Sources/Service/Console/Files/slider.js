// The moment of the page: a field, steps from change to change, and a slider with the activity of the store under it.
import { append, h, replace, svg } from './dom.js';
import { cached, go, state } from './state.js';
import { t } from './texts.js';
import { format, fromLocal, instant, local, millis, momentMillis, zone } from './time.js';

const steps = 2000;

/** `<time-slider>`: shows the moment of the address, and changes it. */
class TimeSlider extends HTMLElement {
    connectedCallback() {
        if (this.range) return;
        this.setAttribute('role', 'region');
        this.setAttribute('aria-label', t('slider.moment'));
        this.range = h('input', {
            type: 'range', min: '0', max: String(steps), step: '1', 'aria-label': t('slider.label'),
            oninput: () => this.slide(),
        });
        // Without a maximum, years have six digits.
        this.field = h('input', { type: 'datetime-local', step: '1', max: '9999-12-31T23:59:59', 'aria-label': t('slider.field'), onchange: () => this.typed(),
            onblur: () => this.enter(), onkeydown: (event) => event.key === 'Enter' && this.enter() });
        this.previous = h('button', { type: 'button', class: 'quiet', title: t('slider.previous'), 'aria-label': t('slider.previous'), onclick: () => this.step(-1) }, '‹');
        this.next = h('button', { type: 'button', class: 'quiet', title: t('slider.next'), 'aria-label': t('slider.next'), onclick: () => this.step(1) }, '›');
        this.now = h('button', { type: 'button', class: 'now', onclick: () => this.set(undefined) }, t('slider.now'));
        this.bars = svg('svg', { class: 'activity', preserveAspectRatio: 'none', viewBox: '0 0 400 30', 'aria-hidden': 'true' });
        this.years = h('div', { class: 'years', 'aria-hidden': 'true' });
        append(this, [
            h('div', { class: 'moment' }, h('span', { class: 'moment-label' }, t('slider.moment')), this.previous, this.field, h('span', { class: 'muted' }, zone()), this.next, this.now,
                this.revision = h('span', { class: 'muted' })),
            this.track = h('div', { class: 'track' }, this.bars, this.range, this.years),
        ]);
    }

    /** Draws the activity of the store. */
    async draw() {
        this.track.hidden = this.previous.hidden = this.next.hidden = !state.span;
        if (!state.span) return this.show();
        const { from, to, commits } = state.span;
        const most = Math.max(1, ...commits);
        const width = 400 / commits.length;
        replace(this.bars, commits.map((count, place) => count > 0 && svg('rect', {
            x: (place * width).toFixed(2), width: Math.max(width * 0.8, 0.8).toFixed(2), y: (28 - 26 * Math.sqrt(count / most)).toFixed(2),
            height: (2 + 26 * Math.sqrt(count / most)).toFixed(2),
        })));
        const first = new Date(from).getFullYear() + 1;
        const last = new Date(to).getFullYear();
        const every = Math.max(1, Math.ceil((last - first + 1) / 12));
        const marks = [];
        for (let year = first; year <= last; year += every) {
            marks.push(h('span', { style: { left: `${((new Date(year, 0, 1) - from) / (to - from)) * 100}%` } }, String(year)));
        }
        replace(this.years, marks);
        this.show();
    }

    /** Shows the moment of the address, and the revision and time of the last answer; null for a page without an answer. */
    show(answer) {
        if (!this.range) return;
        const { from, to } = state.span ?? { from: 0, to: Date.now() };
        const moment = momentMillis(state.at) ?? (state.at === undefined ? to : answer ? millis(answer.time) : null);
        if (moment !== null) {
            this.range.value = String(Math.round(((moment - from) / (to - from)) * steps));
            // The reader may be typing.
            this.shown = local(moment);
            if (document.activeElement !== this.field) this.field.value = this.shown;
            this.range.setAttribute('aria-valuetext', format(moment, 'long'));
        }
        this.now.disabled = state.at === undefined;
        this.classList.toggle('past', state.at !== undefined);
        const revision = answer ? answer.revision : state.at === undefined ? state.head : 0;
        if (revision > 0) replace(this.revision, t('revision.n', { n: String(revision) }));
        else if (answer !== undefined) replace(this.revision, answer && t('slider.before'));
    }

    set(at, replaceAddress = false) {
        const next = new URL(location.href);
        if (at === undefined) next.searchParams.delete('at');
        else next.searchParams.set('at', at);
        go(next.pathname + next.search, { replace: replaceAddress });
    }

    slide() {
        const { from, to } = state.span;
        const value = Number(this.range.value);
        // A drag is one step of the browser's history, and keeps the moment before it.
        this.isNewStep ||= performance.now() - (this.slid ?? -Infinity) > 1000;
        this.slid = performance.now();
        const moment = from + ((to - from) * value) / steps;
        // Whole minutes make short addresses; the end of the slider is now.
        const at = value >= steps ? undefined : instant(Math.round(moment / 60000) * 60000);
        if (value < steps) this.field.value = local(moment);
        cancelAnimationFrame(this.frame);
        this.frame = requestAnimationFrame(() => {
            const isNewStep = this.isNewStep;
            this.isNewStep = false;
            this.set(at, !isNewStep);
        });
    }

    /** The browser reports each part of a date: the page moves when the reader has typed all of them. */
    typed() {
        clearTimeout(this.typing);
        this.typing = setTimeout(() => this.enter(), 600);
    }

    enter() {
        clearTimeout(this.typing);
        this.typing = null;
        const moment = fromLocal(this.field.value);
        if (!Number.isNaN(moment) && local(moment) !== this.shown) return this.set(instant(moment));
        // Not a moment: the field shows the moment of the page again.
        if (document.activeElement !== this.field) this.field.value = this.shown ?? '';
    }

    /** Moves to the previous or the next change of the store. */
    async step(by) {
        const revision = state.at === undefined ? state.head : (await this.answer(state.at)).revision;
        // Between two changes, the previous one is the change that made this revision.
        const isBetween = by < 0 && momentMillis(state.at) > millis((await this.answer(String(revision))).time);
        const next = isBetween ? revision : revision + by;
        if (next >= 0 && next <= state.head) this.set(next === state.head && !isBetween ? undefined : String(next));
    }

    /** The revision and the time of a moment. */
    answer(at) { return cached(`moment ${at}`, () => state.api.administrators({ at })); }
}
customElements.define('time-slider', TimeSlider);

/** Reads the time of the first change, and the activity since. */
export async function loadSpan() {
    const activity = await state.api.activity({ parts: 200 });
    const [from, to] = [millis(activity.from), millis(activity.to)];
    state.head = activity.revision;
    state.span = activity.revision === 0 ? null : { from: Math.min(from, to - 60000), to, commits: activity.commits };
}
