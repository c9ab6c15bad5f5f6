// Lists of names: of objects by class, and of people, devices and roles.
import { h, replace } from './dom.js';
import { field, link, objectClasses } from './names.js';
import { cached, seesEverything, state } from './state.js';
import { empty, part, section } from './states.js';
import { t } from './texts.js';

/** A page with the names of some classes, in pages. */
async function browse(title, classes, signal) {
    const box = h('div');
    const search = h('input', { type: 'search', autocomplete: 'off' });
    const kind = h('select', {}, classes.map((name) => h('option', { value: name }, name)));
    const load = () => replace(box, part(() => list(kind.value, search.value.trim(), signal), { signal }));
    search.addEventListener('input', load);
    kind.addEventListener('change', load);
    if (!seesEverything()) replace(box, empty(t('search.hint')));
    else if (classes.length === 0) replace(box, empty(t('model.no.classes')));
    else load();
    return { title, element: h('div', { class: 'screen' }, h('h1', {}, title), section(t('browse.names'), h('div', { class: 'fields' }, classes.length > 1 && field(t('browse.class'), kind), field(t('filter'), search)), box)) };
}

async function list(kind, contains, signal) {
    let page = await state.api.names({ class: kind, contains, at: state.at, limit: 200 }, { signal });
    if (page.names.length === 0) return empty(t('nothing.found'));
    const items = h('ul', { class: 'names in-columns' }, page.names.map((name) => h('li', {}, link(name))));
    const more = h('button', { type: 'button', class: 'more', hidden: !page.next, onclick: async () => {
        page = await state.api.names({ class: kind, contains, cursor: page.next, limit: 200 }, { signal });
        items.append(...page.names.map((name) => h('li', {}, link(name))));
        more.hidden = !page.next;
    } }, t('browse.more'));
    return h('div', {}, items, more);
}

export async function browseObjects(signal) {
    let classes = [];
    if (seesEverything()) {
        const { names } = await cached(`names class ${state.at ?? ''}`, () => state.api.names({ class: 'class', at: state.at, limit: 1000 }));
        classes = objectClasses(names);
    }
    return browse(t('menu.object'), classes, signal);
}

export const browsePeople = (signal) => browse(t('menu.person'), ['user', 'role', 'thing'], signal);
