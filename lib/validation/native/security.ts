import type { PodSecurityContext, SecurityContext } from '../../api/generated/types.js';
import { between, each, word, type NativeRules, type ValueCheck } from './rules.js';

const id = between(0, 2 ** 31 - 1);
const SYSCTL = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9][-_a-z0-9]*$/;

type Profile = NonNullable<SecurityContext['seccompProfile']>;

const localhostProfile: ValueCheck<Profile> = ({ type, localhostProfile: file = '' }, path, report) => {
  const at = [...path, 'localhostProfile'];
  if (type === 'Localhost' && file === '') {
    report.error(at, { rule: 'Required', message: 'is required with type Localhost', hint: 'add localhostProfile' });
  } else if (type !== 'Localhost' && file !== '') {
    report.error(at, { rule: 'Exclusive', message: 'is only for type Localhost', hint: 'remove it' });
  }
};

const escalation: ValueCheck<SecurityContext> = (context, path, report) => {
  if (context.allowPrivilegeEscalation !== false) return;
  const asks = context.privileged === true || (context.capabilities?.add ?? []).includes('CAP_SYS_ADMIN');
  if (!asks) return;
  const message = 'allowPrivilegeEscalation: false contradicts privileged and CAP_SYS_ADMIN';
  report.error(path, { rule: 'Exclusive', message, hint: 'remove one of them' });
};

type Sysctl = NonNullable<PodSecurityContext['sysctls']>[number];

const sysctl: ValueCheck<Sysctl> = ({ name }, path, report) => {
  if (name.length > 0 && name.length <= 253 && SYSCTL.test(name)) return;
  report.error([...path, 'name'], {
    rule: 'BadName',
    message: 'is no name of a sysctl',
    hint: 'write a name such as net.core.somaxconn',
  });
};

/** Rights of pods and containers. */
export const SECURITY_RULES: Readonly<Record<string, NativeRules>> = {
  PodSecurityContext: {
    fields: {
      fsGroup: id,
      runAsUser: id,
      runAsGroup: id,
      supplementalGroups: each(id),
      fsGroupChangePolicy: word('OnRootMismatch', 'Always'),
      supplementalGroupsPolicy: word('Merge', 'Strict'),
      seLinuxChangePolicy: word('MountOption', 'Recursive'),
      sysctls: each(sysctl),
    },
  },
  // Unmasked would need a user namespace of the pod's own, which agents do not have.
  SecurityContext: { fields: { runAsUser: id, runAsGroup: id, procMount: word('Default') }, whole: [escalation] },
  SeccompProfile: { fields: { type: word('Localhost', 'RuntimeDefault', 'Unconfined') }, whole: [localhostProfile] },
  AppArmorProfile: { fields: { type: word('Localhost', 'RuntimeDefault', 'Unconfined') }, whole: [localhostProfile] },
};
