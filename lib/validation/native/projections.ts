import type { Volume } from '../../api/generated/types.js';
import { checkAnnotationSize } from '../metadata.js';
import { dnsSubdomainTrouble, qualifiedNameTrouble } from '../name-syntax.js';
import { between, gated, localPath, relativePath, word, type NativeRules, type ValueCheck } from './rules.js';

type Projected = NonNullable<Volume['projected']>;
type Projection = NonNullable<Projected['sources']>[number];
type TrustBundle = NonNullable<Projection['clusterTrustBundle']>;
type PodCertificate = NonNullable<Projection['podCertificate']>;

/** User ids of files. */
export const fileUser = gated(between(0, 2 ** 31 - 1));

const HOUR = 3600;
const DAY = 24 * HOUR;
const BUNDLE_SEPARATOR = ':';

/** `domain/name`, where the name may have dots, and the two together are limited. */
function signerTrouble(signer: string): string | undefined {
  const [domain = '', name = '', ...more] = signer.split('/');
  const parts = name.split('.');
  const isWellFormed =
    more.length === 0 &&
    domain.includes('.') &&
    dnsSubdomainTrouble(domain) === undefined &&
    parts.every((part) => dnsSubdomainTrouble(part) === undefined && part.length <= 63);
  if (!isWellFormed) return 'is no signer, which is a domain and a name: example.com/signer';
  return signer.length > 571 ? 'is longer than 571 characters' : undefined;
}

const signer: ValueCheck<string> = (value, path, report) => {
  const trouble = signerTrouble(value);
  if (trouble !== undefined)
    report.error(path, { rule: 'BadName', message: trouble, hint: 'write example.com/signer' });
};

/** Bundles of a signer are called `domain:signer:name`. */
function bundleNameTrouble(name: string): string | undefined {
  const at = name.lastIndexOf(BUNDLE_SEPARATOR);
  if (at < 0) return dnsSubdomainTrouble(name);
  return signerTrouble(name.slice(0, at).replace(BUNDLE_SEPARATOR, '/')) ?? dnsSubdomainTrouble(name.slice(at + 1));
}

const trustBundle: ValueCheck<TrustBundle> = ({ name, signerName, labelSelector }, path, report) => {
  if ((name === undefined) === (signerName === undefined)) {
    const message = 'needs either name or signerName';
    report.error(path, { rule: 'Exclusive', message, hint: 'write one of the two' });
    return;
  }
  if (signerName !== undefined) {
    signer(signerName, [...path, 'signerName'], report);
    return;
  }
  const trouble = bundleNameTrouble(name ?? '');
  if (trouble !== undefined) {
    report.error([...path, 'name'], { rule: 'BadName', message: trouble, hint: 'write the name of a bundle' });
  }
  if (labelSelector === undefined) return;
  const message = 'is only for signerName';
  report.error([...path, 'labelSelector'], { rule: 'Exclusive', message, hint: 'remove it' });
};

const certificatePaths: ValueCheck<PodCertificate> = (source, path, report) => {
  const paths = [source.credentialBundlePath, source.keyPath, source.certificateChainPath];
  if (paths.some((written) => written !== undefined && written !== '')) return;
  const message = 'names no file to write';
  report.error(path, { rule: 'Required', message, hint: 'add credentialBundlePath' });
};

const certificateLife: ValueCheck<PodCertificate> = ({ maxExpirationSeconds, signerName }, path, report) => {
  if (maxExpirationSeconds === undefined) return;
  const isOfKubernetes = /(^|\.)kubernetes\.io\//.test(signerName);
  between(HOUR, isOfKubernetes ? DAY : 91 * DAY)(maxExpirationSeconds, [...path, 'maxExpirationSeconds'], report);
};

const userAnnotations: ValueCheck<Readonly<Record<string, string>>> = (map, path, report) => {
  for (const key of Object.keys(map)) {
    const trouble = key.includes('/') ? qualifiedNameTrouble(key.toLowerCase()) : 'needs a domain before it';
    if (trouble === undefined) continue;
    report.error([...path, key], { rule: 'BadName', message: trouble, hint: 'write example.com/name' });
  }
  checkAnnotationSize(map, path as readonly string[], report);
};

/** Every file that a source writes. */
function filesOf(source: Projection): readonly string[] {
  const { secret, configMap, downwardAPI, clusterTrustBundle: bundle, podCertificate: certificate } = source;
  const items = [...(secret?.items ?? []), ...(configMap?.items ?? []), ...(downwardAPI?.items ?? [])];
  const certificateFiles = [certificate?.credentialBundlePath, certificate?.keyPath, certificate?.certificateChainPath];
  const files = [...items.map(({ path }) => path), bundle?.path, ...certificateFiles];
  return files.filter((file): file is string => file !== undefined && file !== '');
}

const distinctFiles: ValueCheck<Projected> = ({ sources = [] }, path, report) => {
  const files = sources.flatMap(filesOf);
  const twice = files.find((file, index) => files.indexOf(file) !== index);
  if (twice === undefined) return;
  const message = `writes ${twice} twice`;
  report.error([...path, 'sources'], { rule: 'DuplicateItem', message, hint: 'use another path' });
};

/** Volumes that put several sources into one folder. */
export const PROJECTION_RULES: Readonly<Record<string, NativeRules>> = {
  ClusterTrustBundleProjection: {
    needs: ['path'],
    fields: { path: localPath, user: fileUser },
    whole: [trustBundle],
  },
  PodCertificateProjection: {
    needs: ['signerName', 'keyType'],
    fields: {
      signerName: signer,
      keyType: word('RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519'),
      certificateChainPath: localPath,
      credentialBundlePath: localPath,
      keyPath: localPath,
      user: fileUser,
      userAnnotations,
    },
    whole: [certificatePaths, certificateLife],
  },
  ServiceAccountTokenProjection: {
    needs: ['path'],
    fields: { path: relativePath, expirationSeconds: between(600, 2 ** 32), user: fileUser },
  },
  ProjectedVolumeSource: {
    fields: { defaultMode: between(0, 0o777), defaultUser: fileUser },
    whole: [distinctFiles],
  },
};
