import { X509Certificate, createPrivateKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { selfSignedCertificate } from '../../../../controller/metrics/self-signed.js';

describe('selfSignedCertificate', () => {
  it('is one that OpenSSL reads, signed by its own key', () => {
    const { cert, key } = selfSignedCertificate('metrics.example', new Date('2026-05-06T07:08:09Z'));
    const certificate = new X509Certificate(cert);
    expect(certificate.subject).toBe('CN=metrics.example');
    expect(certificate.issuer).toBe('CN=metrics.example');
    expect(certificate.subjectAltName).toBe('DNS:metrics.example');
    expect(certificate.validFrom).toBe('May  5 07:08:09 2026 GMT');
    expect(certificate.validTo).toBe('May  3 07:08:09 2036 GMT');
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
  });

  it('is another one each time', () => {
    const now = new Date();
    const serials = Array.from(
      { length: 5 },
      () => new X509Certificate(selfSignedCertificate('x', now).cert).serialNumber,
    );
    expect(new Set(serials).size).toBe(5);
  });
});
