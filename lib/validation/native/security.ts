import type { PodSecurityContext, SecurityContext } from '../../api/generated/types.js';
import { all, between, each, relativePath, word, type NativeRules, type ValueCheck } from './rules.js';

const id = between(0, 2 ** 31 - 1);
const MAX_PROFILE_BYTES = 4095;
const SYSCTL = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9][-_a-z0-9]*$/;

type Profile = NonNullable<SecurityContext['seccompProfile']>;

/** Whether a profile is named goes with the type. An empty name counts as one that is there. */
const profileFits: ValueCheck<Profile> = ({ type, localhostProfile: file }, path, report) => {
  const at = [...path, 'localhostProfile'];
  if (type === 'Localhost' && file === undefined) {
    report.error(at, { rule: 'Required', message: 'is required with type Localhost', hint: 'add localhostProfile' });
  } else if (type === 'Localhost' && file?.trim() === '') {
    report.error(at, { rule: 'Unusable', message: 'is empty', hint: 'name the profile' });
  } else if (type !== 'Localhost' && file !== undefined) {
    report.error(at, { rule: 'Exclusive', message: 'is only for type Localhost', hint: 'remove it' });
  }
};

const appArmorName: ValueCheck<string> = (value, path, report) => {
  if (value === value.trim() && Buffer.byteLength(value) <= MAX_PROFILE_BYTES) return;
  const message = `has blanks around it, or more than ${MAX_PROFILE_BYTES} characters`;
  report.error(path, { rule: 'BadFormat', message, hint: 'write the name of a loaded profile' });
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

const distinctSysctls: ValueCheck<readonly Sysctl[]> = (list, path, report) => {
  const names = list.map(({ name }) => name);
  names.forEach((name, index) => {
    if (names.indexOf(name) === index) return;
    const message = `${name} is already there in item ${names.indexOf(name)}`;
    report.error([...path, index, 'name'], { rule: 'DuplicateItem', message, hint: 'remove one of the two' });
  });
};

/** An empty text is no policy either. */
const changePolicy: ValueCheck<PodSecurityContext> = ({ seLinuxChangePolicy: policy }, path, report) => {
  if (policy !== undefined) word('MountOption', 'Recursive')(policy, [...path, 'seLinuxChangePolicy'], report);
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
      sysctls: all(each(sysctl), distinctSysctls),
    },
    whole: [changePolicy],
  },
  // Unmasked would need a user namespace of the pod's own, which agents do not have.
  SecurityContext: { fields: { runAsUser: id, runAsGroup: id, procMount: word('Default') }, whole: [escalation] },
  SeccompProfile: { fields: { localhostProfile: relativePath }, whole: [profileFits] },
  AppArmorProfile: { fields: { localhostProfile: appArmorName }, whole: [profileFits] },
};
