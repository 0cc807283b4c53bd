import { NATIVE_SCHEMAS } from './generated/native-schemas.js';
import type { CelRule } from './json-schema.js';

const claimFields = Object.keys(NATIVE_SCHEMAS['PersistentVolumeClaimSpec']?.properties ?? {}).sort();

/** CEL cannot ask an object whether it is empty, so the rule asks for each field that the type has. */
function hasAnyField(object: string): string {
  return `(${claimFields.map((field) => `has(${object}.${field})`).join(' || ')})`;
}

/** Exactly one of a claim to render and a claim that exists; `{}` and `''` count as absent. */
export const exactlyOneVolume: CelRule = {
  rule:
    `(has(self.persistentVolumeClaim) && ${hasAnyField('self.persistentVolumeClaim')}) != ` +
    "(has(self.existingClaimName) && self.existingClaimName != '')",
  message: 'exactly one of persistentVolumeClaim and existingClaimName has to be set',
};

/** What the API server asks of every PersistentVolumeClaim, said before the claim reaches it. */
export const completeClaim: CelRule = {
  rule:
    `!${hasAnyField('self')} || (has(self.accessModes) && self.accessModes.size() > 0 && ` +
    "has(self.resources) && has(self.resources.requests) && 'storage' in self.resources.requests)",
  message: 'accessModes and resources.requests.storage are required',
  reason: 'FieldValueRequired',
};
