/** A client for the HTTP API of Muniment. `Docs/Guides/http-api.md` describes each request; `/openapi.json` each response. */

/** A revision, a time (RFC 3339) or a day. */
export type Moment = number | string;
/** `user:ann`, `role:staff`, `doc:plan`, `everyone`, `store` and so on. */
export type Name = string;
export type Privilege = string;

export interface Problem {
    type: string;
    title: string;
    status: number;
    detail?: string;
    code?: string;
    change?: number | null;
    head?: number;
}

export class MunimentError extends Error {
    readonly problem: Problem;
    /** The HTTP status; 0 if there was no response. */
    readonly status: number;
    /** The kind of problem, such as `not-found`. */
    readonly type: string;
    /** The code of a refusal, such as `noPrivilege`. */
    readonly code?: string;
}

export interface RequestOptions { signal?: AbortSignal }
export interface PageQuery { limit?: number; cursor?: string; atLeast?: number }
export interface At { at?: Moment }
export interface When { revision: number; time: string }

export interface Origin { id?: string; idempotencyKey?: string; comment?: string; importLine?: number; credential?: string }
export interface StoreEvent { kind: string; [member: string]: unknown }
export interface Commit extends Origin { revision: number; time: string; actor: Name | null; events: StoreEvent[] }
export interface AuditRecord extends Origin { time: string; outcome: 'done' | 'refused'; actor?: Name; caller?: Name; event?: StoreEvent; tried?: Change; revision?: number; message?: string; code?: string }
export interface Entry { subject: Name; privileges: Privilege[]; until?: string; permanent?: boolean; permission?: string }
export interface Span { begin: number; from: string; end?: number; until?: string; asAdministrator?: boolean; existedBefore?: boolean }
export interface Difference { name: Name; before: Privilege[]; after: Privilege[]; gained: Privilege[]; lost: Privilege[] }
export interface DraftDifference { subject: Name; object: Name; before: Privilege[]; after: Privilege[]; gained: Privilege[]; lost: Privilege[] }
export interface Transition extends Origin { actor: Name | null; events: AuditRecord[]; gained: boolean; revision: number | null; time: string }
export interface Notice { revision: number; time: string; kind: string; object: Name; wasAccessible: boolean; completesRevision: boolean; gained?: Privilege[]; lost?: Privilege[] }
/** A change of an object's value: of the child `name`, or of the value itself. `value` is missing if it was removed. */
export interface ObjectChange { revision: number; time: string; kind: 'childAdded' | 'childChanged' | 'childRemoved' | 'valueChanged' | 'accessEnded' | 'objectDeleted'; name?: string; value?: unknown; completesRevision: boolean }
export interface NameDescription extends When {
    name: Name; class: string; hasChildren: boolean; created?: number; changed?: number; parent?: Name; owner?: Name; roles?: Name[]; entries?: Name[]; members?: Name[];
    options?: Record<string, unknown>; permission?: { subject: Name; privileges: Privilege[]; objects: Name[] };
}

/** A change, as in `Docs/Scenarios.md`: `{ op: 'grant', subject, object, privileges }`. */
export interface Change { op: string; [member: string]: unknown }
/** What the caller of a transaction should know about a change that was committed. `change` is its index in the transaction. */
export interface ChangeNote { change: number; reason: 'unchanged' | 'storeLevel' | 'classLevel' | 'stillAllowed' | 'noCreatorPrivileges' | 'unreadable'; message: string }
/** Why a caller finds no object of a class, and the grant that would help. */
export interface ListNote { reason: 'storeLevel' | 'classLevel' | 'noQuery' | 'noAccess'; message: string }
/** `hash` is the hash of the commit; null if nothing changed. */
export interface Receipt { revision: number | null; head: number; time: string; hash: string | null; notes?: ChangeNote[] }

export interface CloudEvent<Data> { id: string; type: string; source: string; time: string; subject?: string; data: Data }

export interface ClientOptions {
    /** The address of the service (default: the address of the page). */
    address?: string;
    token?: string;
    /** The key of a browser session, from `browserSession`. */
    key?: string;
    /** How often a request that may be repeated is repeated (default 2). */
    retries?: number;
    fetch?: typeof globalThis.fetch;
}

export class Muniment {
    constructor(options?: ClientOptions);
    store(name: string): Store;
    stores(options?: RequestOptions): Promise<string[]>;
    /** Signs in to an account with email and password, and renews the session until `signOut`. */
    signIn(email: string, password: string, device?: string): Promise<void>;
    providers(options?: RequestOptions): Promise<{ id: string; priority: number }[]>;
    /** Starts a sign-in with an OpenID Connect provider: open `authorizationURL`, and keep `attempt`. */
    beginSignIn(provider: string, redirectURI: string): Promise<{ attempt: string; authorizationURL: string }>;
    /** Signs in with the parameters of the redirect and the attempt. */
    finishSignIn(provider: string, evidence: { attempt: string; redirectURI: string; code?: string; state?: string; iss?: string }, device?: string): Promise<void>;
    /** Creates a browser session with the access of this client, and returns its key. In a page of the service's own origin. */
    browserSession(): Promise<string>;
    signOut(): Promise<void>;
    request(method: string, path: string, options?: RequestOptions & { query?: object; body?: unknown; headers?: Record<string, string>; repeatable?: boolean }): Promise<any>;
}

export class Store {
    readonly name: string;

    check(subject: Name, privilege: Privilege | Privilege[], object: Name, options?: At & RequestOptions): Promise<When & { allowed: boolean; reason: string; subject: Name; object: Name; privileges: Privilege[] }>;
    privileges(subject: Name, object: Name, options?: At & RequestOptions): Promise<When & { privileges: Privilege[] }>;
    explain(subject: Name, privilege: Privilege | Privilege[], object: Name, options?: At & RequestOptions & { proposals?: boolean }): Promise<When & { allowed: boolean; complete: boolean; [member: string]: unknown }>;
    explainSeveral(questions: { subject: Name; privilege?: Privilege; privileges?: Privilege[]; object: Name; proposals?: boolean }[], options?: At & RequestOptions): Promise<(When & { allowed: boolean; complete: boolean; [member: string]: unknown })[]>;
    who(privilege: Privilege | Privilege[], object: Name, options?: At & PageQuery & RequestOptions): Promise<When & { subjects: Name[]; administrators?: Name[]; next?: string }>;
    what(subject: Name, privilege: Privilege | Privilege[], options?: At & PageQuery & RequestOptions & { class?: string }): Promise<When & { objects: Name[]; next?: string }>;
    query(question: object, options?: RequestOptions): Promise<{ objects: Name[]; revision: number; next?: string; note?: ListNote }>;
    whatIf(transactions: { as: Name; do: Change[] }[], options?: RequestOptions): Promise<When & { differences: DraftDifference[]; complete: boolean; refused: { transaction: number; change: number | null; code: string; message: string }[] }>;

    caller(options?: RequestOptions): Promise<{ credential: string; right: 'ask' | 'act' | 'administer'; queriesAll: boolean; principal?: Name; until?: string }>;
    statistics(options?: RequestOptions): Promise<Record<string, unknown> & When>;
    names(query?: At & PageQuery & { class?: string; prefix?: string; contains?: string; parent?: Name }, options?: RequestOptions): Promise<When & { names: Name[]; next?: string }>;
    describe(name: Name, query?: At, options?: RequestOptions): Promise<NameDescription>;
    object(name: Name, query?: At & { as?: Name }, options?: RequestOptions): Promise<When & { object: Name; value: unknown; changed: number }>;
    entries(name: Name, query?: At & PageQuery, options?: RequestOptions): Promise<When & { entries: Entry[]; next?: string }>;
    members(role: Name, query?: At & PageQuery, options?: RequestOptions): Promise<When & { members: Name[]; next?: string }>;
    roles(privileges: Privilege | Privilege[], query?: At & { limit?: number }, options?: RequestOptions): Promise<When & { roles: { role: Name; objects: number; members: Name[] }[]; count: number }>;
    levels(options?: RequestOptions): Promise<{ name: string; privileges: Privilege[] }[]>;
    administrators(query?: At, options?: RequestOptions): Promise<When & { administrators: Name[] }>;
    ends(query?: { limit?: number }, options?: RequestOptions): Promise<When & { ends: { until: string; subject: Name; object: Name }[] }>;

    history(name: Name, query?: At & PageQuery, options?: RequestOptions): Promise<{ name: Name; commits: Commit[]; revision: number; next?: string }>;
    activity(query?: { from?: Moment; to?: Moment; parts?: number }, options?: RequestOptions): Promise<{ from: string; to: string; commits: number[]; revision: number }>;
    diff(name: Name, from: Moment, to?: Moment, query?: PageQuery, options?: RequestOptions): Promise<{ differences: Difference[]; from: When; to: When; next?: string }>;
    notices(query?: At & PageQuery & { subject?: Name; after?: number }, options?: RequestOptions): Promise<{ notices: Notice[]; revision: number; next?: string }>;
    audit(query?: PageQuery & { actor?: Name; object?: Name; subject?: Name; kind?: string; request?: string; from?: Moment; to?: Moment; outcome?: 'done' | 'refused' | 'any'; order?: 'oldest' | 'newest'; text?: string; count?: boolean }, options?: RequestOptions): Promise<{ records: AuditRecord[]; revision: number; next?: string; count?: number }>;
    /** The records as CSV, all of them. */
    auditTable(query?: { actor?: Name; object?: Name; subject?: Name; kind?: string; request?: string; from?: Moment; to?: Moment; outcome?: 'done' | 'refused' | 'any'; order?: 'oldest' | 'newest'; text?: string }, options?: RequestOptions): Promise<string>;
    auditAccess(privileges: Privilege | Privilege[], object: Name, query?: PageQuery & { from?: Moment; to?: Moment }, options?: RequestOptions): Promise<{ access: { subject: Name; spans: Span[] }[]; next?: string }>;
    auditChanges(subject: Name, privileges: Privilege | Privilege[], object: Name, query?: PageQuery & { from?: Moment; to?: Moment }, options?: RequestOptions): Promise<{ transitions: Transition[]; next?: string }>;
    auditSubject(subject: Name, query?: At & PageQuery, options?: RequestOptions): Promise<Record<string, unknown> & When>;

    /** Makes changes, all or none. An error with status 412 means that a named object was changed after the revision `unchangedSince`. */
    transact(changes: Change[], options?: RequestOptions & { as?: Name; comment?: string; unchangedSince?: number; idempotencyKey?: string }): Promise<Receipt>;

    all<Item>(load: (cursor?: string) => Promise<{ next?: string; [key: string]: any }>, key: string): AsyncGenerator<Item>;
    lines<Line = any>(path: string, query?: object, options?: RequestOptions): AsyncGenerator<Line>;
    /** The changes of an object's value, as they happen. `path` is a JSON Pointer. After the event with the reason of the end, it ends. */
    changesOf(object: Name, query?: { path?: string; as?: Name; after?: number }, options?: RequestOptions & { onState?: (state: 'open' | 'lost') => void }): AsyncGenerator<CloudEvent<ObjectChange>>;
    feed<Data = any>(path: '/commits' | '/notices' | string, query?: object, options?: RequestOptions & { onState?: (state: 'open' | 'lost') => void }): AsyncGenerator<CloudEvent<Data>>;
}
