// Lighthouse on sign-in, overview and consents of the demo project: npm run lighthouse. Prints the medians, and fails where
// a page has less than 95 for performance, or less than 100 for accessibility or best practices. `-- applied` really slows
// network and processor down, rather than reckoning it from what was seen; `-- mobile` is Lighthouse's phone. Lighthouse is installed into
// bench/lighthouse at its first run: with 176 MB it is too heavy for everybody's npm ci. Needs chromium.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { freePort } from '../dist/standalone/embedded-postgres.js';
import { startDemoService } from './demo-service.mjs';
import { installPackages } from './install-packages.mjs';

const HOME = join('bench', 'lighthouse');
const RESULTS = join('bench', 'results');
const CHROMIUM = '/usr/bin/chromium';
/** The number of runs per page; their median counts, because a single run depends on other load. */
const RUNS = 5;
/**
 * The dashboard is measured as it is worked with, as Lighthouse measures a desktop: 40 ms away, 10 Mbit/s, the processor as
 * it is. Its phone has a network of 1.6 Mbit/s and a quarter of the processor.
 */
const forms = process.argv.length > 2 ? process.argv.slice(2) : ['desktop'];
/** The desktop's connection as DevTools throttles it, per request; the factors are Lighthouse's own for its phone. */
const APPLIED = {
  rttMs: 40,
  throughputKbps: 10_240,
  requestLatencyMs: 40 * 3.75,
  downloadThroughputKbps: 10_240 * 0.9,
  uploadThroughputKbps: 10_240 * 0.9,
  cpuSlowdownMultiplier: 1,
};
/** The metrics of the performance score. */
const METRICS = {
  'first-contentful-paint': 'first paint',
  'largest-contentful-paint': 'largest paint',
  'total-blocking-time': 'blocked',
  'speed-index': 'speed index',
};
const LEAST = { performance: 95, accessibility: 100, 'best-practices': 100 };

installPackages(HOME);
const { default: lighthouse, desktopConfig } = await import(
  `../${HOME}/node_modules/lighthouse/core/index.js`
);

const demo = await startDemoService();
const debuggingPort = await freePort();
let browser;
try {
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', `--remote-debugging-port=${debuggingPort}`],
  });
  const { cookie, project } = await signIn();
  const pages = [
    ['sign-in', `${demo.base}/sign-in`, {}],
    ['overview', demo.base + project, { Cookie: cookie }],
    ['consents', `${demo.base}${project}/consents`, { Cookie: cookie }],
  ];
  let failed = false;
  for (const [name, url, extraHeaders] of pages)
    for (const form of forms) failed = !(await judge({ name, url, extraHeaders, form })) || failed;
  process.exitCode = failed ? 1 : 0;
} finally {
  await browser?.close();
  await demo.stop();
}

/** Signs the demo's owner in; Lighthouse opens new pages, with the session as a header. */
async function signIn() {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(demo.link);
  await page.waitForURL(/\/projects\//);
  const cookies = await context.cookies();
  const project = new URL(page.url()).pathname;
  await context.close();
  return { cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '), project };
}

/**
 * Measures a page several times; prints the medians and the failed audits, and returns whether they
 * pass.
 */
async function judge({ name, url, extraHeaders, form }) {
  const runs = [];
  for (let run = 0; run < RUNS; run += 1) runs.push(await look(url, extraHeaders, form));
  const medians = Object.fromEntries(
    Object.keys(LEAST).map((category) => [category, median(runs.map(({ scores }) => scores[category]))]),
  );
  const met = Object.entries(LEAST).every(([category, least]) => medians[category] >= least);
  const shown = Object.entries(medians).map(([category, score]) => `${category} ${score}`);
  console.log(`${met ? 'met   ' : 'NOT   '} ${name}, ${form}: ${shown.join(', ')}`);
  console.log(`         ${reasonsOf(runs.map(({ report }) => report))}`);
  for (const line of runs.at(-1).missing) console.log(`         ${line}`);
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(
    join(RESULTS, `lighthouse-${name}-${form}.json`),
    JSON.stringify(runs.map(({ report }) => report)),
  );
  return met;
}

/**
 * The medians of the score's metrics, the throttling, and Lighthouse's measure of the machine's
 * speed.
 */
function reasonsOf(reports) {
  const medianOf = (value) => median(reports.map(value));
  const times = Object.entries(METRICS).map(
    ([id, what]) => `${what} ${Math.round(medianOf(({ audits }) => audits[id].numericValue))} ms`,
  );
  const shift = medianOf(({ audits }) => audits['cumulative-layout-shift'].numericValue);
  const { throttlingMethod } = reports[0].configSettings;
  const speed = medianOf(({ environment }) => environment.benchmarkIndex);
  return `${times.join(', ')}, shift ${shift.toFixed(3)} (${throttlingMethod}; machine ${speed}; ${reports.length} runs)`;
}

async function look(url, extraHeaders, form) {
  const flags = {
    port: debuggingPort,
    output: 'json',
    logLevel: 'error',
    extraHeaders,
    ...(form === 'applied' && { throttlingMethod: 'devtools', throttling: APPLIED }),
    onlyCategories: Object.keys(LEAST),
  };
  const config = form === 'mobile' ? undefined : desktopConfig;
  let result = await lighthouse(url, flags, config);
  // A trace without its beginning is no measurement: a busy machine's browser has lost it.
  if (result.lhr.runtimeError?.code === 'NO_NAVSTART') result = await lighthouse(url, flags, config);
  const { categories, audits, finalDisplayedUrl, runtimeError } = result.lhr;
  if (runtimeError) throw new Error(`${url}: ${runtimeError.message}`);
  if (finalDisplayedUrl !== url) throw new Error(`${url} led to ${finalDisplayedUrl}`);
  const scores = Object.fromEntries(
    Object.keys(LEAST).map((category) => [category, Math.round((categories[category].score ?? 0) * 100)]),
  );
  const missing = Object.keys(LEAST).flatMap((category) =>
    categories[category].auditRefs
      .filter(({ id, weight }) => weight > 0 && audits[id].score !== null && audits[id].score < 0.9)
      .map(({ id }) => `${category}: ${audits[id].title} ${audits[id].displayValue ?? ''}`),
  );
  return { scores, missing, report: result.lhr };
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
