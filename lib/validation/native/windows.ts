import type { SecurityContext } from '../../api/generated/types.js';
import { dnsSubdomainTrouble } from '../name-syntax.js';
import type { NativeRules, ValueCheck } from './rules.js';

type WindowsOptions = NonNullable<SecurityContext['windowsOptions']>;

const MAX_SPEC_BYTES = 64 * 1024;
const MAX_DOMAIN = 255;
const MAX_USER = 104;

const CONTROL = /[\u0000-\u001f\u007f]/;
const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS_DOMAIN = /^[a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?(\.[a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?)*$/;
const FORBIDDEN_IN_USER = /["/\\:;|=,+*?<>@[\]]/;

function userNameTrouble(text: string): string | undefined {
  if (text === '') return 'must not be empty';
  if (CONTROL.test(text)) return 'must not contain control characters';
  const parts = text.split('\\');
  if (parts.length > 2) return 'may contain only one backslash';
  const user = parts.at(-1) ?? '';
  const [domain] = parts.length === 2 ? parts : [];
  return (domain === undefined ? undefined : domainTrouble(domain)) ?? userTrouble(user);
}

function domainTrouble(domain: string): string | undefined {
  if (domain.length > MAX_DOMAIN) return `has a domain longer than ${MAX_DOMAIN} characters`;
  return NETBIOS.test(domain) || DNS_DOMAIN.test(domain) ? undefined : 'has a domain that is neither NetBIOS nor DNS';
}

function userTrouble(user: string): string | undefined {
  if (user === '') return 'has no user after the domain';
  if (Buffer.byteLength(user) > MAX_USER) return `is longer than ${MAX_USER} characters`;
  if (/^[. ]+$/.test(user)) return 'must not be only dots and blanks';
  return FORBIDDEN_IN_USER.test(user) ? 'contains a character that Windows forbids' : undefined;
}

/** An empty text does not count as absent here. */
const options: ValueCheck<WindowsOptions> = (value, path, report) => {
  const { gmsaCredentialSpec, gmsaCredentialSpecName, runAsUserName, hostProcess } = value;
  const complain = (field: string, message: string | undefined): void => {
    if (message === undefined) return;
    report.error([...path, field], { rule: 'BadFormat', message, hint: 'write another value, or leave it out' });
  };
  if (gmsaCredentialSpecName !== undefined) {
    complain('gmsaCredentialSpecName', dnsSubdomainTrouble(gmsaCredentialSpecName));
  }
  if (gmsaCredentialSpec === '') complain('gmsaCredentialSpec', 'must not be empty');
  if (Buffer.byteLength(gmsaCredentialSpec ?? '') > MAX_SPEC_BYTES) complain('gmsaCredentialSpec', 'is too long');
  if (runAsUserName !== undefined) complain('runAsUserName', userNameTrouble(runAsUserName));
  if (hostProcess !== true) return;
  const message = 'needs the network of the host, which agents do not have';
  report.error([...path, 'hostProcess'], { rule: 'NotSupported', message, hint: 'remove it' });
};

/** Settings for containers on Windows. */
export const WINDOWS_RULES: Readonly<Record<string, NativeRules>> = {
  WindowsSecurityContextOptions: { whole: [options] },
};
