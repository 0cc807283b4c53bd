import { isObject } from '../../lib/api/canonical-json.js';
import type { FleetFile } from '../../lib/fleet/read-fleet.js';
import { readDocuments } from '../../lib/input/documents.js';
import { isRendered, type PlannedObject } from '../../lib/plan/compare.js';
import type { Problem } from '../../lib/validation/problem.js';

/** What files hold of this project. */
export interface RenderedObjects {
  readonly objects: readonly PlannedObject[];
  /** Why some of the files cannot be read as manifests. */
  readonly unread: readonly Problem[];
}

/** The objects of this project in files that synth, or kustomize after it, wrote. Everything else in them is passed over. */
export function renderedObjects(files: readonly FleetFile[]): RenderedObjects {
  const unread: Problem[] = [];
  const objects = files.flatMap(({ name, bytes }) => {
    const { documents, problems } = readDocuments(bytes, name);
    unread.push(...problems);
    return documents.map(({ value }) => value).filter(isPlannedObject);
  });
  return { objects: objects.filter(isRendered), unread };
}

function isPlannedObject(value: unknown): value is PlannedObject {
  if (!isObject(value)) return false;
  const { apiVersion, kind, metadata } = value;
  return (
    typeof apiVersion === 'string' &&
    typeof kind === 'string' &&
    isObject(metadata) &&
    typeof metadata['name'] === 'string'
  );
}
