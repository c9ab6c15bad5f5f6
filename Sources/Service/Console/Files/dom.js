// Builds the page. Text from the store becomes text nodes only: nothing in the console parses HTML.

/** Returns an element. `properties`: `class`, `on…` handlers, `data-…` and attributes; null and false are left out. */
export function h(tag, properties = {}, ...children) {
    return fill(document.createElement(tag), properties, children);
}

/** Returns an SVG element. */
export function svg(tag, properties = {}, ...children) {
    return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), properties, children);
}

function fill(element, properties, children) {
    for (const [name, value] of Object.entries(properties)) {
        if (value === null || value === undefined || value === false) continue;
        if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
        else if (name === 'value') element.value = value;
        else if (name === 'style') for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
        else element.setAttribute(name, value === true ? '' : value);
    }
    append(element, children);
    return element;
}

export function append(element, children) {
    for (const child of [children].flat(Infinity)) {
        if (child !== null && child !== undefined && child !== false) element.append(child);
    }
    return element;
}

export function replace(element, ...children) {
    element.replaceChildren();
    return append(element, children);
}

// Characters that change how text around them is shown, or that are not visible.
// eslint-disable-next-line no-control-regex, no-misleading-character-class
const unseen = /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** Returns text with invisible and direction-changing characters as visible codes, for attributes. */
export function visible(text) {
    return String(text).replace(unseen, (character) => `⟨U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

/** Returns a text from the store as an element that cannot change the direction of the text around it. */
export function safe(text) {
    const element = h('bdi');
    let end = 0;
    for (const match of String(text).matchAll(unseen)) {
        append(element, [String(text).slice(end, match.index), h('span', { class: 'code-point' }, visible(match[0]))]);
        end = match.index + match[0].length;
    }
    return append(element, String(text).slice(end));
}

/** A table. `columns` are texts; each row is a list of cells, or an element. The first cell is the row's header. */
export function table(caption, columns, rows, { class: className = '' } = {}) {
    return h('div', { class: `table-scroll ${className}`, tabindex: '0', role: 'region', 'aria-label': caption },
        h('table', {},
            h('caption', { class: 'visually-hidden' }, caption),
            h('thead', {}, h('tr', {}, columns.map((column) => h('th', { scope: 'col' }, column)))),
            h('tbody', {}, rows.map((cells) => (Array.isArray(cells) ? row(cells) : cells)))));
}

export function row(cells) {
    return h('tr', {}, cells.map((cell, place) => h(place === 0 ? 'th' : 'td', place === 0 ? { scope: 'row' } : {}, cell)));
}

/** Runs tasks with a limited number at once. */
export async function pool(items, limit, task) {
    const queue = [...items.entries()];
    const results = new Array(items.length);
    await Promise.all(Array.from({ length: Math.min(limit, items.length) }, async () => {
        for (let next = queue.shift(); next; next = queue.shift()) results[next[0]] = await task(next[1], next[0]);
    }));
    return results;
}

/** Offers text as a file to save. */
export function save(name, mediaType, text) {
    const address = URL.createObjectURL(new Blob([text], { type: mediaType }));
    h('a', { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** Returns rows of values as CSV (RFC 4180). A spreadsheet would calculate a cell that begins like a formula: an apostrophe makes it text, also after a semicolon, which separates cells in some countries, and before full-width signs. */
export function csv(columns, rows) {
    const cell = (value) => {
        const text = String(value ?? '');
        const plain = text.replace(/(^|[;\t\r\n])([ "]*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g, "$1$2'");
        return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
    };
    return `${[columns, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}
