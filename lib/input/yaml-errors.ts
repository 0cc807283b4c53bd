import type { YAMLError } from 'yaml';

import type { Problem } from '../validation/problem.js';

const HINTS: Partial<Record<YAMLError['code'], string>> = {
  TAB_AS_INDENT: 'indent with spaces',
  TAG_RESOLVE_FAILED: 'remove the tag and quote strings',
  BAD_INDENT: 'give all keys of one map the same indentation',
  MULTILINE_IMPLICIT_KEY: 'quote the text, or check the indentation',
  BLOCK_AS_IMPLICIT_KEY: 'quote values that contain ": "',
  BAD_SCALAR_START: 'quote the text',
  BAD_DQ_ESCAPE: 'write the text in single quotes, or double the backslash',
};

/** A syntax error of the YAML parser as a problem of this project. */
export function yamlErrorProblem(error: YAMLError): Omit<Problem, 'severity' | 'position'> {
  if (error.code === 'RESOURCE_EXHAUSTION') {
    return { rule: 'YamlSyntax', path: [], message: 'the text is nested too deeply to be read' };
  }
  const message = error.message.replace(/\s+/g, ' ').trim();
  const hint = HINTS[error.code];
  return {
    rule: 'YamlSyntax',
    path: [],
    message: `${message.charAt(0).toLowerCase()}${message.slice(1)}`,
    ...(hint !== undefined && { hint }),
  };
}
