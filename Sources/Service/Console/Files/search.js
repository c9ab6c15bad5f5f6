// Search over all names, opened with the key `/`.
import { h, replace } from './dom.js';
import { label, page } from './names.js';
import { go, seesEverything, state } from './state.js';
import { t } from './texts.js';

export function openSearch() {
    if (document.querySelector('dialog[open]')) return;
    const results = h('div', { id: 'search-results', role: 'listbox', 'aria-label': t('search.results') });
    const note = h('p', { class: 'muted', role: 'status' }, t('search.hint'));
    const input = h('input', {
        type: 'search', 'aria-label': t('search'), placeholder: t('search.placeholder'), role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'search-results',
        autocomplete: 'off', spellcheck: 'false',
    });
    const dialog = h('dialog', { class: 'search-dialog', 'aria-label': t('search'), onclose: () => dialog.remove() }, input, results, note);
    let names = [];
    let selected = 0;
    let latest = 0;
    const open = (name) => { dialog.close(); go(page(name)); };
    const draw = () => {
        replace(results, names.map((name, place) => h('div', {
            role: 'option', id: `result-${place}`, 'aria-selected': String(place === selected), onclick: () => open(name),
        }, label(name))));
        if (names.length > 0) input.setAttribute('aria-activedescendant', `result-${selected}`);
    };
    const find = async () => {
        latest += 1;
        const mine = latest;
        const text = input.value.trim();
        if (text === '') { names = []; draw(); replace(note, t('search.hint')); return; }
        if (!seesEverything()) { names = [text]; selected = 0; draw(); return; }
        try {
            const found = await state.api.names({ contains: text, limit: 50 });
            if (mine !== latest) return;
            // Names that begin with the text come first.
            const begins = (name) => name.split(':').some((part) => part.toLowerCase().startsWith(text.toLowerCase()));
            names = [...found.names.filter(begins), ...found.names.filter((name) => !begins(name))];
            selected = 0;
            draw();
            replace(note, names.length === 0 ? t('search.none') : found.next ? t('search.more') : t('search.found', { n: names.length }));
        } catch (error) { replace(note, error.message); }
    };
    let timer;
    input.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(find, 80); });
    input.addEventListener('keydown', (event) => {
        if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            selected = Math.max(0, Math.min(names.length - 1, selected + (event.key === 'ArrowDown' ? 1 : -1)));
            draw();
            results.children[selected]?.scrollIntoView({ block: 'nearest' });
        } else if (event.key === 'Escape') {
            // Browsers clear a search field first.
            dialog.close();
        } else if (event.key === 'Enter') {
            event.preventDefault();
            if (names[selected]) open(names[selected]);
        }
    });
    document.body.append(dialog);
    dialog.showModal();
    input.focus();
}
