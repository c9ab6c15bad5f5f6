// A client for the HTTP API of Muniment: one ES module without dependencies, for browsers, Node.js 18, Deno and Bun.
// The types are in muniment.d.ts. The console uses this client for all its requests.

/** An error response of the service (RFC 9457), or a request that got no response (`status` 0). */
export class MunimentError extends Error {
    constructor(problem, cause) {
        super(problem.detail || problem.title, { cause });
        this.name = 'MunimentError';
        this.problem = problem;
        this.status = problem.status;
        this.type = (problem.type || '').replace('/problems/', '');
        this.code = problem.code;
    }
}

/** A connection to a service. */
export class Muniment {
    /** @param options `address` of the service (default: the page's own), `token` or the `key` of a browser session, `retries` (default 2), `fetch`. */
    constructor({ address = '', token, key, retries = 2, fetch = globalThis.fetch } = {}) {
        this.address = address.replace(/\/$/, '');
        this.token = token;
        this.key = key;
        this.retries = retries;
        this.fetch = fetch.bind(globalThis);
    }

    store(name) { return new Store(this, name); }

    async stores(options) { return (await this.request('GET', '/v1/stores', options)).stores; }

    /**
     * Signs in to an account with email and password, where the service has accounts. The client then uses the access token of the
     * session and renews it before it expires.
     */
    async signIn(email, password, device = 'browser') {
        const body = { provider: 'password', evidence: { email, password }, device };
        this.keep(await this.request('POST', '/v1/accounts/sign-in', { body }));
    }

    /** The sign-in methods of the service, the preferred one first. An error with `status` 404 means that it has no accounts. */
    async providers(options) { return (await this.request('GET', '/v1/accounts/providers', options)).providers; }

    /**
     * Starts a sign-in with an OpenID Connect provider. Returns `authorizationURL`, the page to open, and `attempt`, a secret for
     * `finishSignIn`.
     */
    async beginSignIn(provider, redirectURI) { return this.request('POST', '/v1/accounts/begin', { body: { provider, redirectURI } }); }

    /** Signs in with the parameters of the redirect (`code`, `state`, `iss`) and the attempt of `beginSignIn`. */
    async finishSignIn(provider, evidence, device = 'browser') {
        this.keep(await this.request('POST', '/v1/accounts/sign-in', { body: { provider, evidence, device } }));
    }

    /**
     * Creates a browser session with the access of this client: sets a cookie that no script can read, and returns the key for another
     * client. Only for a page of the service's own origin.
     */
    async browserSession() { return (await this.request('POST', '/v1/browser-sessions', { credentials: 'same-origin' })).key; }

    /** Ends the session. */
    async signOut() {
        if (this.key) await this.request('DELETE', '/v1/browser-sessions/current').catch(() => {});
        this.key = undefined;
        if (!this.session) return;
        await this.request('POST', '/v1/account/sign-out').catch(() => {});
        this.session = this.token = undefined;
    }

    keep(session) {
        this.session = session;
        this.token = session.accessToken;
        this.renewal = performance.now() + session.accessTokenSeconds * 800;
    }

    /** Renews the access token of a session. The nonce is the same in repeated requests, which then get the same tokens. */
    async renew() {
        if (!this.session || performance.now() < this.renewal) return;
        this.renewing ??= (async () => {
            this.renewal = Infinity;
            const body = { refreshToken: this.session.refreshToken, nonce: randomKey() };
            try { this.keep(await this.request('POST', '/v1/accounts/refresh', { body, repeatable: true })); } catch (error) {
                this.renewal = 0;
                throw error;
            } finally { this.renewing = undefined; }
        })();
        await this.renewing;
    }

    /**
     * Sends a request and returns the JSON of the response. Repeats it after a lost connection, 429 and 503, if it changes nothing
     * or has an idempotency key.
     */
    async request(method, path, { repeatable = method === 'GET', ...options } = {}) {
        const response = await this.send(method, path, { repeatable, ...options });
        return response.status === 204 ? null : response.json();
    }

    async send(method, path, { query, body, headers = {}, signal, repeatable = true, credentials = this.key ? 'same-origin' : 'omit' } = {}) {
        if (path !== '/v1/accounts/refresh') await this.renew();
        const sent = { Accept: 'application/json', ...headers };
        if (this.token) sent.Authorization = `Bearer ${this.token}`;
        if (this.key) sent['Muniment-Session'] = this.key;
        if (body !== undefined) sent['Content-Type'] = 'application/json';
        const init = { method, headers: sent, signal, credentials, redirect: 'error', cache: 'no-store' };
        if (body !== undefined) init.body = JSON.stringify(body);
        const address = this.address + path + search(query);
        for (let attempt = 0; ; attempt += 1) {
            const isLast = !repeatable || attempt >= this.retries;
            let response;
            try {
                response = await this.fetch(address, init);
            } catch (error) {
                if (error.name === 'AbortError') throw error;
                if (isLast) throw new MunimentError({ status: 0, title: 'no connection', type: 'offline' }, error);
                await pause(200 * 2 ** attempt, signal);
                continue;
            }
            if (response.ok) return response;
            if (isLast || (response.status !== 429 && response.status !== 503)) throw await problem(response);
            await response.body?.cancel();
            await pause(Math.min(1000 * (Number(response.headers.get('Retry-After')) || 0.2 * 2 ** attempt), 30000), signal);
        }
    }
}

/** A store of the service. */
export class Store {
    constructor(client, name) {
        this.client = client;
        this.name = name;
        this.path = `/v1/stores/${encodeURIComponent(name)}`;
    }

    get(path, query, options) { return this.client.request('GET', this.path + path, { ...options, query }); }

    /** Sends a question, which changes nothing. */
    ask(path, body, options) { return this.client.request('POST', this.path + path, { repeatable: true, ...options, body: defined(body) }); }

    // Questions
    check(subject, privilege, object, { at, ...options } = {}) { return this.ask('/check', { subject, object, at, ...wanted(privilege) }, options); }
    privileges(subject, object, { at, ...options } = {}) { return this.ask('/privileges', { subject, object, at }, options); }
    explain(subject, privilege, object, { at, proposals, ...options } = {}) {
        return this.ask('/explain', { subject, object, at, proposals, ...wanted(privilege) }, options);
    }
    /** Explains up to 100 questions at the same moment; each is an object with `subject`, `privilege` and `object`. */
    async explainSeveral(questions, { at, ...options } = {}) { return (await this.ask('/explanations', { questions, at }, options)).explanations; }
    who(privilege, object, { at, limit, cursor, ...options } = {}) { return this.ask('/who', { object, at, limit, cursor, ...wanted(privilege) }, options); }
    what(subject, privilege, { at, limit, cursor, class: className, ...options } = {}) {
        return this.ask('/what', { subject, at, limit, cursor, class: className, ...wanted(privilege) }, options);
    }
    query(question, options) { return this.ask('/query', question, options); }
    whatIf(transactions, options) { return this.ask('/what-if', { transactions }, options); }

    // Contents
    caller(options) { return this.get('/caller', {}, options); }
    statistics(options) { return this.get('', {}, options); }
    names(query, options) { return this.get('/names', query, options); }
    describe(name, query, options) { return this.get(`/names/${encodeURIComponent(name)}`, query, options); }
    object(name, query, options) { return this.get(`/objects/${encodeURIComponent(name)}`, query, options); }
    entries(name, query, options) { return this.get(`/objects/${encodeURIComponent(name)}/entries`, query, options); }
    members(role, query, options) { return this.get(`/roles/${encodeURIComponent(role)}/members`, query, options); }
    /** All roles, with the number of objects that each opens, and its members. */
    roles(privileges, query, options) { return this.get('/roles', { privileges, ...query }, options); }
    /** The named sets of privileges of the store. */
    async levels(options) { return (await this.get('/levels', {}, options)).levels; }
    administrators(query, options) { return this.get('/administrators', query, options); }
    ends(query, options) { return this.get('/ends', query, options); }

    // History
    history(name, query, options) { return this.get('/history', { name, ...query }, options); }
    activity(query, options) { return this.get('/activity', query, options); }
    diff(name, from, to, query, options) { return this.get('/diff', { name, from, to, ...query }, options); }
    notices(query, options) { return this.get('/notices', query, options); }
    /** The audit as CSV: all matching records, without pages. */
    async auditTable(query, { signal } = {}) {
        const response = await this.client.send('GET', `${this.path}/audit`, { query, signal, headers: { Accept: 'text/csv' } });
        return response.text();
    }

    audit(query, options) { return this.get('/audit', query, options); }
    auditAccess(privileges, object, query, options) { return this.get('/audit/access', { privileges, object, ...query }, options); }
    auditChanges(subject, privileges, object, query, options) { return this.get('/audit/changes', { subject, privileges, object, ...query }, options); }
    auditSubject(subject, query, options) { return this.get('/audit/subject', { subject, ...query }, options); }

    /**
     * Makes changes, all or none. A lost response is repeated with the same idempotency key, so the changes are made once. With
     * `unchangedSince`, an error with `status` 412 means that a named object was changed after this revision.
     */
    transact(changes, { as, comment, unchangedSince, idempotencyKey = randomKey(), ...options } = {}) {
        const headers = { 'Idempotency-Key': idempotencyKey, ...(unchangedSince === undefined ? {} : { 'If-Match': `"${unchangedSince}"` }) };
        return this.client.request('POST', `${this.path}/transactions`, {
            repeatable: true, ...options, body: defined({ do: changes, as, comment }), headers,
        });
    }

    /** Iterates over the items of all pages of a list. `load` gets the cursor: `store.all(c => store.names({ cursor: c }), 'names')`. */
    async *all(load, key) {
        let cursor;
        do {
            const page = await load(cursor);
            yield* page[key];
            cursor = page.next;
        } while (cursor);
    }

    /** Iterates over the lines of a response in JSON Lines, such as the progress of `/verify`. */
    async *lines(path, query, { signal } = {}) {
        const response = await this.client.send('GET', this.path + path, { query, signal, headers: { Accept: 'application/jsonl' } });
        for await (const line of textLines(response)) if (line) yield JSON.parse(line);
    }

    /** The changes of an object's value, as they happen. `path` is a JSON Pointer. After the event with the reason of the end, it ends. */
    async *changesOf(object, query, options) {
        for await (const event of this.feed(`/objects/${encodeURIComponent(object)}/changes`, query, options)) {
            yield event;
            if (['accessEnded', 'objectDeleted'].includes(event.data.kind)) return;
        }
    }

    /**
     * Follows a feed of server-sent events: `/commits`, `/notices` or another one. Reconnects after a lost connection and
     * resumes after the last event, so each event arrives once. Ends with an error that is not temporary, or when `signal` aborts.
     */
    async *feed(path, query, { signal, onState = () => {} } = {}) {
        let last;
        let delay = 2000;
        while (!signal?.aborted) {
            try {
                const headers = { Accept: 'text/event-stream', ...(last === undefined ? {} : { 'Last-Event-ID': last }) };
                const response = await this.client.send('GET', this.path + path, { query, signal, headers, repeatable: false });
                onState('open');
                let data = [];
                for await (const line of textLines(response)) {
                    if (line === '') {
                        if (data.length > 0) yield JSON.parse(data.join('\n'));
                        data = [];
                    } else if (line.startsWith('data:')) data.push(line.slice(5).trimStart());
                    else if (line.startsWith('id:')) last = line.slice(3).trim();
                    else if (line.startsWith('retry:')) delay = Number(line.slice(6)) || delay;
                }
            } catch (error) {
                if (signal?.aborted) return;
                if (error instanceof MunimentError && error.status >= 400 && error.status !== 429 && error.status !== 503) throw error;
            }
            onState('lost');
            try { await pause(delay, signal); } catch { return; }
        }
    }
}

const wanted = (privilege) => (Array.isArray(privilege) ? { privileges: privilege } : { privilege });
const defined = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

/** Returns the query of an address, with `?`, or an empty text. Undefined, null and empty values are left out. */
export function search(query = {}) {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
        if (value !== undefined && value !== null && value !== '') parameters.set(name, Array.isArray(value) ? value.join(',') : value);
    }
    const text = parameters.toString();
    return text && `?${text}`;
}

async function problem(response) {
    try { return new MunimentError({ status: response.status, ...(await response.json()) }); } catch {
        return new MunimentError({ status: response.status, title: response.statusText || `HTTP ${response.status}` });
    }
}

/** Waits. Ends with an error when `signal` aborts. */
export function pause(milliseconds, signal) {
    return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const timer = setTimeout(resolve, milliseconds);
        signal?.addEventListener('abort', () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
    });
}

/** A random key. `crypto.randomUUID` exists only in secure contexts. */
function randomKey() {
    return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function* textLines(response) {
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    let rest = '';
    try {
        for (;;) {
            const { done, value } = await reader.read();
            if (done) break;
            const parts = (rest + decoder.decode(value, { stream: true })).split('\n');
            rest = parts.pop();
            for (const line of parts) yield line.replace(/\r$/, '');
        }
        if (rest) yield rest;
    } finally {
        reader.cancel().catch(() => {});
    }
}
