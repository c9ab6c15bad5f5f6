// The sign-in page. The token is never in an address or in storage: a browser session replaces it.
import { h, replace } from './dom.js';
import { Muniment } from './muniment.js';
import { t } from './texts.js';

/** Returns the page. `open` signs in with a token, or with a call that signs a client in to an account, and throws its error. */
export function signIn(message, open) {
    const token = h('input', { id: 'token', type: 'password', autocomplete: 'current-password', required: true, spellcheck: 'false' });
    const button = h('button', { type: 'submit', class: 'primary' }, t('sign.in'));
    const error = h('p', { class: 'form-error', role: 'alert' });
    const form = h('form', {
        onsubmit: submitting(button, error, () => open(token.value.trim()), (problem) => {
            replace(error, problem.status === 401 ? t('token.wrong') : problem.status === 0 ? t('offline.text') : problem.message);
            token.select();
        }),
    }, h('label', { for: 'token' }, 'Token'), token, error, button);
    return h('main', { class: 'sign-in' },
        h('div', { class: 'card' },
            h('img', { src: '/console/assets/icon.svg', alt: '', width: '40', height: '40' }),
            h('h1', {}, t('sign.in.title')),
            message ? h('p', { role: 'status' }, message) : h('p', { class: 'muted' }, t('sign.in.text')),
            form,
            account(open),
            h('details', {}, h('summary', {}, t('sign.in.how')), h('p', {}, t('sign.in.how.text')),
                h('pre', {}, 'muniment token create --data DIR --store default --can ask'))));
}

/** Returns the handler of a form: it disables the button during the action, and passes an error to `fail`. */
const submitting = (button, error, action, fail) => async (event) => {
    event.preventDefault();
    button.disabled = true;
    replace(error);
    try {
        await action();
    } catch (problem) {
        button.disabled = false;
        fail(problem);
    }
};

/** The address that a provider leads back to. It must be among the `redirectURIs` of the provider's settings. */
const redirectURI = () => `${location.origin}/console/signed-in`;
const attemptKey = 'muniment-sign-in';

/** The form for an account, where the service has accounts, and a button for each provider. */
function account(open) {
    const email = h('input', { id: 'email', type: 'email', autocomplete: 'username', required: true });
    const password = h('input', { id: 'password', type: 'password', autocomplete: 'current-password', required: true });
    const button = h('button', { type: 'submit' }, t('account.open'));
    const error = h('p', { class: 'form-error', role: 'alert' });
    const providers = h('div', { class: 'providers' });
    const fail = (problem) => replace(error, problem.status === 404 ? t('account.none') : problem.type === 'wrong-credentials' ? t('account.wrong') : problem.status === 0 ? t('offline.text') : problem.message);
    const form = h('form', {
        onsubmit: submitting(button, error, () => open((client) => client.signIn(email.value.trim(), password.value, 'console')), fail),
    }, h('label', { for: 'email' }, t('account.email')), email, h('label', { for: 'password' }, t('account.password')), password, error, button);
    const list = async () => {
        try {
            const found = await new Muniment().providers();
            replace(providers, found.filter(({ id }) => id !== 'password').map(({ id }) => h('button', {
                type: 'button', onclick: () => begin(id).catch(fail),
            }, t('account.provider', { provider: id }))));
        } catch (problem) { fail(problem); }
    };
    return h('details', { ontoggle: (event) => { if (event.target.open) list(); } }, h('summary', {}, t('account')), form, providers);
}

/** Leads to the page of a provider. The attempt, and the address to open afterwards, stay in this tab until it leads back. */
async function begin(provider) {
    const { attempt, authorizationURL } = await new Muniment().beginSignIn(provider, redirectURI());
    sessionStorage.setItem(attemptKey, JSON.stringify({ provider, attempt, path: location.pathname + location.search }));
    location.assign(authorizationURL);
}

/** After a redirect from a provider: restores the address and returns the call that signs in. Otherwise returns nothing. */
export function redirected() {
    if (location.pathname !== '/console/signed-in') return undefined;
    const begun = JSON.parse(sessionStorage.getItem(attemptKey) ?? 'null');
    sessionStorage.removeItem(attemptKey);
    const { code, state, iss, error } = Object.fromEntries(new URLSearchParams(location.search));
    history.replaceState(null, '', begun?.path.startsWith('/console/') ? begun.path : '/console/');
    return async (client) => {
        if (!begun || error || !code) throw new Error(t('account.redirect', { error: error ?? t('account.redirect.lost') }));
        await client.finishSignIn(begun.provider, { attempt: begun.attempt, redirectURI: redirectURI(), code, state, iss }, 'console');
    };
}
