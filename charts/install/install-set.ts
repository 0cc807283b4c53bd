import { ApiObject, type ApiObjectProps, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import { baseObjects } from './base.js';
import { type InstallOptions, resolveInstallOptions } from './options.js';

/** The controller with everything that it needs, as one chart. Every object can be patched like any of cdk8s. */
export class InstallSet extends Chart {
  /** The objects by the path of their file without the ending, in an order in which they can be applied. */
  readonly objects: ReadonlyMap<string, ApiObject>;

  constructor(scope: Construct, id: string, options: InstallOptions = {}) {
    super(scope, id, { disableResourceNameHashes: true });
    this.objects = new Map(
      Object.entries(baseObjects(resolveInstallOptions(options))).map(([path, object]) => [
        path,
        new ApiObject(this, path.replaceAll('/', '-'), object as ApiObjectProps),
      ]),
    );
  }
}
