import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import * as der from './der.js';

/** A key and its certificate, both PEM. */
export interface KeyAndCertificate {
  readonly key: string;
  readonly cert: string;
}

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const COMMON_NAME = '2.5.4.3';
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';
const DAY_MS = 86_400_000;

/**
 * A self-signed certificate for a DNS name, made anew at each start: it encrypts the metrics, and who may read them is
 * decided by the reader's token. Valid for ten years, because the process may be left alone.
 */
export function selfSignedCertificate(dnsName: string, now: Date): KeyAndCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der.sequence(der.objectIdentifier(ECDSA_WITH_SHA256));
  const name = der.sequence(der.setOf(der.sequence(der.objectIdentifier(COMMON_NAME), der.utf8String(dnsName))));
  const alternative = der.sequence(der.context(2, Buffer.from(dnsName, 'ascii'), true));
  const extension = der.sequence(der.objectIdentifier(SUBJECT_ALTERNATIVE_NAME), der.octetString(alternative));
  const body = der.sequence(
    der.context(0, der.integer(Buffer.from([2]))),
    der.integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name,
    der.sequence(
      der.generalizedTime(new Date(now.getTime() - DAY_MS)),
      der.generalizedTime(new Date(now.getTime() + 3650 * DAY_MS)),
    ),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der.context(3, der.sequence(extension)),
  );
  const signature = sign('sha256', body, privateKey);
  const certificate = der.sequence(body, algorithm, der.bitString(signature));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${wrap(certificate.toString('base64'))}\n-----END CERTIFICATE-----\n`,
  };
}

function wrap(base64: string): string {
  return (base64.match(/.{1,64}/g) ?? []).join('\n');
}
