import { expect, it } from 'vitest';
import { imageTrouble } from '../../../../../lib/validation/agent/image.js';

it.each([
  ['Reg/H:v1', 'write reg/h:v1'],
  ['reg.example.net:5000/Team/H', 'write reg.example.net:5000/team/h'],
  [`h/H:V1@sha256:${'A'.repeat(64)}`, `write h/h:V1@sha256:${'A'.repeat(64)}`],
  ['reg/h:v1\n', 'write reg/h:v1'],
])('shows the whole reference to write instead of %j', (image, hint) => {
  expect(imageTrouble(image)?.hint).toBe(hint);
});
