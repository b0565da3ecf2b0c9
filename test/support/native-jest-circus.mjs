// Jest's own way to run a test file, with one difference: Node itself loads the file and its
// imports, and each module once per worker. Jest reloads everything for every file, in a separate
// context: the service is 3,900 modules, 2 to 3 s of processor time, and most files need it. The
// price: the files of a worker share the state of modules, `globalThis` and `process.env`. A file
// must restore its changes there.
import { existsSync } from 'node:fs';
import { createRequire, registerHooks, syncBuiltinESMExports } from 'node:module';
import { pathToFileURL } from 'node:url';
import workerThreads from 'node:worker_threads';
import circus from 'jest-circus/runner';
import './typescript.mjs';

/** Names that `@jest/globals` has here. */
const NAMES = [
  'afterAll',
  'afterEach',
  'beforeAll',
  'beforeEach',
  'describe',
  'expect',
  'it',
  'jest',
  'test',
];
const GLOBALS = 'consent-service.jest-globals';
/** Where jest-circus keeps its listeners and `jest.setTimeout`, even when it is reloaded. */
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');
const TEST_TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');

/** What test files have open and close themselves, unless a test fails (`left-open.ts`). */
const LEFT_OPEN = Symbol.for('consent-service.left-open');

/** How often each test file was loaded in this process. */
const timesLoaded = new Map();

process.setSourceMapsEnabled(true);
// The hooks of this process do not apply to its threads: the service's threads load the same
// TypeScript.
const TYPESCRIPT = ['--import', new URL('./typescript.mjs', import.meta.url).href];
workerThreads.Worker = class extends workerThreads.Worker {
  constructor(program, options) {
    const source = program instanceof URL ? new URL(program.href.replace(/\.js$/, '.ts')) : null;
    if (source && existsSync(source)) super(source, { ...options, execArgv: TYPESCRIPT });
    else super(program, options);
  }
};
syncBuiltinESMExports();
registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== '@jest/globals') return next(specifier, context);
    const lines = NAMES.map((name) => `export const ${name} = globalThis[Symbol.for('${GLOBALS}')].${name};`);
    // A module for each that imports it: the names mean the run of that test file.
    const text = [...lines, `// ${context.parentURL}`].join('\n');
    return {
      url: `data:text/javascript,${encodeURIComponent(text)}`,
      format: 'module',
      shortCircuit: true,
    };
  },
});

/** `testRunner` of jest.config.mjs. */
export default async function runNatively(
  globalConfig,
  config,
  environment,
  runtime,
  testPath,
  sendMessageToJest,
) {
  // Jest puts its own in the way of Node's, which knows the maps of the modules that Node has loaded.
  Error.prepareStackTrace = undefined;
  const native = {
    requireInternalModule: loadAnew,
    requireModule: createRequire(import.meta.url),
    setGlobalsForRuntime,
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: importAnew,
  };
  const substitute = new Proxy(runtime, { get: (target, name) => native[name] ?? bound(target, name) });
  try {
    // Jest takes the timeout from the global configuration, which has none where there are several projects.
    const ofProject = { ...globalConfig, testTimeout: config.testTimeout ?? globalConfig.testTimeout };
    return await circus.default(ofProject, config, environment, substitute, testPath, sendMessageToJest);
  } finally {
    await closeLeftOpen();
  }
}

/** The latest first: a service before its database. What cannot be closed is reported by the test that broke it. */
async function closeLeftOpen() {
  for (const close of [...(globalThis[LEFT_OPEN] ?? [])].toReversed()) await close().catch(() => {});
}

/** A test file again in the same process, as Stryker runs them: only the file itself is reloaded. */
function importAnew(path) {
  const times = timesLoaded.get(path) ?? 0;
  timesLoaded.set(path, times + 1);
  const { href } = pathToFileURL(path);
  return import(times === 0 ? href : `${href}?${times}`);
}

/** The framework, with no test of the file before in it. */
function loadAnew(path) {
  const require = createRequire(path);
  for (const left of [EVENT_HANDLERS, TEST_TIMEOUT]) delete globalThis[left];
  delete require.cache[path];
  return require(path);
}

function setGlobalsForRuntime(globals) {
  const jest = { setTimeout: (timeoutMs) => (globalThis[TEST_TIMEOUT] = timeoutMs) };
  globalThis[Symbol.for(GLOBALS)] = { ...globals, jest };
}

function bound(target, name) {
  const member = target[name];
  return typeof member === 'function' ? member.bind(target) : member;
}
