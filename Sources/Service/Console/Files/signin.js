// The sign-in page. The token stays in memory: it is never in an address or in storage.
import { h, replace } from './dom.js';
import { t } from './texts.js';

/** Returns the page. `open` signs in with a token, and throws an error of the client. */
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
            h('details', {}, h('summary', {}, t('sign.in.how')), h('p', {}, t('sign.in.how.text')),
                h('pre', {}, 'muniment token create --data DIR --store default --can ask'))));
}
