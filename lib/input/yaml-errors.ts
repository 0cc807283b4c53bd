import type { ErrorCode, YAMLError } from 'yaml';

import type { Problem } from '../validation/problem.js';

/** A problem that whoever knows the text gives its place. */
type UnplacedProblem = Omit<Problem, 'severity' | 'position'>;

/** Of a text that no reader follows to its end. */
export const TOO_DEEP: UnplacedProblem = {
  rule: 'YamlSyntax',
  path: [],
  message: 'the text is nested too deeply to be read',
  hint: 'write it with fewer levels',
};

/** Every code of the parser, so that a new one does not go without a hint. */
const HINTS: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'write the value out',
  BAD_ALIAS: 'write the value out',
  BAD_COLLECTION_TYPE: 'remove the tag',
  BAD_DIRECTIVE: 'remove the line that begins with %',
  BAD_DQ_ESCAPE: 'write the text in single quotes, or double the backslash',
  BAD_INDENT: 'give all keys of one map the same indentation',
  BAD_PROP_ORDER: 'write anchor and tag before the value',
  BAD_SCALAR_START: 'quote the text',
  BLOCK_AS_IMPLICIT_KEY: 'quote values that contain ": "',
  BLOCK_IN_FLOW: 'write what stands inside brackets in the form with brackets too',
  DUPLICATE_KEY: 'keep one of the two',
  IMPOSSIBLE: 'quote the text',
  KEY_OVER_1024_CHARS: 'shorten the key',
  MISSING_CHAR: 'close what was opened before: a bracket, a quote, or a key with ":"',
  MULTILINE_IMPLICIT_KEY: 'quote the text, or check the indentation',
  MULTIPLE_ANCHORS: 'keep one of the anchors',
  MULTIPLE_DOCS: 'begin each document with a line of its own that is ---',
  MULTIPLE_TAGS: 'keep one of the tags',
  NON_STRING_KEY: 'write a string as the key',
  RESOURCE_EXHAUSTION: TOO_DEEP.hint,
  TAB_AS_INDENT: 'indent with spaces',
  TAG_RESOLVE_FAILED: 'remove the tag and quote strings',
  UNEXPECTED_TOKEN: 'remove it, or quote the text that it belongs to',
};

/** A second object or list right behind the first, as in a file of JSON lines. */
const SECOND_VALUE = /unexpected flow-(map|seq)-start/i;

/** A syntax error of the YAML parser as a problem of this project. */
export function yamlErrorProblem({ code, message }: YAMLError): UnplacedProblem {
  if (code === 'RESOURCE_EXHAUSTION') return TOO_DEEP;
  const sentence = message.replace(/\s+/g, ' ').trim();
  return {
    rule: 'YamlSyntax',
    path: [],
    message: `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`,
    hint: HINTS[SECOND_VALUE.test(message) ? 'MULTIPLE_DOCS' : code],
  };
}
