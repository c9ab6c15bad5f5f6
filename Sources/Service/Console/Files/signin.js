// The sign-in page. The token stays in memory: it is never in an address or in storage.
import { h, replace } from './dom.js';
import { t } from './texts.js';

/** Returns the page. `open` signs in with a token, or with `{ email, password }`, and throws an error of the client. */
export function signIn(message, open) {
    const token = h('input', { id: 'token', type: 'password', autocomplete: 'current-password', required: true, spellcheck: 'false' });
    const button = h('button', { type: 'submit', class: 'primary' }, t('sign.in'));
    const error = h('p', { class: 'form-error', role: 'alert' });
    const form = h('form', {
        onsubmit: async (event) => {
            event.preventDefault();
            button.disabled = true;
            replace(error);
            try {
                await open(token.value.trim());
            } catch (problem) {
                button.disabled = false;
                replace(error, problem.status === 401 ? t('token.wrong') : problem.status === 0 ? t('offline.text') : problem.message);
                token.select();
            }
        },
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

/** The form for an account, where the service has accounts. */
function account(open) {
    const email = h('input', { id: 'email', type: 'email', autocomplete: 'username', required: true });
    const password = h('input', { id: 'password', type: 'password', autocomplete: 'current-password', required: true });
    const button = h('button', { type: 'submit' }, t('account.open'));
    const error = h('p', { class: 'form-error', role: 'alert' });
    return h('details', {}, h('summary', {}, t('account')), h('form', {
        onsubmit: async (event) => {
            event.preventDefault();
            button.disabled = true;
            replace(error);
            try {
                await open({ email: email.value.trim(), password: password.value });
            } catch (problem) {
                button.disabled = false;
                replace(error, problem.status === 404 ? t('account.none') : problem.type === 'wrong-credentials' ? t('account.wrong') : problem.status === 0 ? t('offline.text') : problem.message);
            }
        },
    }, h('label', { for: 'email' }, t('account.email')), email, h('label', { for: 'password' }, t('account.password')), password, error, button));
}
