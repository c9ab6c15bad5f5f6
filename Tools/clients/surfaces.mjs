// The JavaScript client's part of surfaces.py: writes the answers of the service to the questions of a file.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [module, file] = process.argv.slice(2);
const { Muniment } = await import(pathToFileURL(module));
const { address, token, store: name, questions } = JSON.parse(readFileSync(file, 'utf8'));
const store = new Muniment({ address, token }).store(name);

/** Reads all pages of a list; `argument` is the moment, which only the first request has. */
async function pages(load, key) {
    const found = [];
    let page;
    let cursor;
    do {
        page = await load(cursor);
        found.push(...page[key]);
        cursor = page.next;
    } while (cursor);
    return { ...page, [key]: found };
}

const ask = {
    who: ({ privilege, object, at }) => pages((cursor) => store.who(privilege, object, { at: cursor ? undefined : at, cursor }), 'subjects'),
    what: ({ subject, privilege, at }) => pages((cursor) => store.what(subject, privilege, { at: cursor ? undefined : at, cursor }), 'objects'),
    check: ({ subject, privilege, object, at }) => store.check(subject, privilege, object, { at }),
    privileges: ({ subject, object, at }) => store.privileges(subject, object, { at }),
    explain: ({ subject, privilege, object, at }) => store.explain(subject, privilege, object, { at, proposals: false }),
    history: ({ name: about, at }) => pages((cursor) => store.history(about, { at: cursor ? undefined : at, limit: 1000, cursor }), 'commits'),
    diff: ({ name: about, from, at }) => pages((cursor) => store.diff(about, from, cursor ? undefined : at, { limit: 10000, cursor }), 'differences'),
};

const answers = [];
for (const question of questions) answers.push(await ask[question.ask](question));
process.stdout.write(JSON.stringify(answers));
