import { type MessageLanguage, translator } from '../../../platform/messages/messages.js';
import { createPdf } from '../../../platform/pdf/pdf-document.js';
import { PdfSheet, SHEET_OPTIONS } from '../../../platform/pdf/pdf-sheet.js';
import { SERVICE_CATEGORIES } from '../../publishing/domain/configuration.js';
import type { ScanReportPage } from '../application/scan-report-pages.js';
import { SCAN_LOCALE, SCAN_VIEWPORT, scannerUserAgent } from '../domain/scanner.js';
import { FINDING_RULES } from '../domain/finding.js';
import { findingSentence } from '../domain/finding-sentence.js';
import { SCAN_STATES } from '../domain/scan-state.js';
import type { ClassifiedItem } from '../domain/seen-item.js';

const PAGES_MAX = 200;
const DAY_SECONDS = 86_400;
const LOCALES = { en: 'en-US', de: 'de-DE' } as const;

type Words = ReturnType<typeof wordsIn>;
const wordsIn = (language: MessageLanguage) => translator(language, 'scan-report', 'scans');

/** A report of a scan for people, tagged for screen readers. What proves the scan is its proof file. */
export function drawScanReport(page: ScanReportPage): PDFKit.PDFDocument {
  const t = wordsIn(page.language);
  const title = t('report.title', { host: hostsOf(page) });
  const document = createPdf({
    ...SHEET_OPTIONS,
    lang: page.language,
    info: { Title: title, CreationDate: page.createdAt },
  });
  const sheet = new PdfSheet(document, {
    pageOf: (number, count) => t('report.page', { page: number, count }),
    replaced: t('report.replaced'),
  });
  drawOverview(sheet, page, title);
  drawSummary(sheet, page);
  drawStates(sheet, page);
  drawFindings(sheet, page);
  drawItems(sheet, page);
  drawPages(sheet, page);
  drawScreenshots(sheet, page);
  drawProof(sheet, page);
  sheet.end();
  return document;
}

function drawOverview(sheet: PdfSheet, page: ScanReportPage, title: string): void {
  const { scan, region, projectName, createdAt, contact } = page;
  const t = wordsIn(page.language);
  const { visited, failed, skipped } = scan.pages;
  const at = (date: Date | null): string => (date === null ? '–' : instant(page, date));
  sheet.heading('H1', title);
  sheet.paragraph(t('report.intro', { finding: t('findings.text') }));
  sheet.fact(t('report.labels.project'), projectName);
  sheet.fact(t('report.labels.addresses'), scan.urls.join(', '));
  const reason = scan.reason === null ? '' : `: ${t(`scans.reasons.${scan.reason}`)}`;
  sheet.fact(t('scans.status'), t(`scans.statuses.${scan.status}`) + reason);
  sheet.fact(t('report.labels.time'), `${at(scan.startedAt)} – ${at(scan.endedAt)}`);
  sheet.fact(t('scans.views.pages'), t('report.pageCounts', { visited, failed, skipped }));
  sheet.fact(t('report.labels.location'), region ?? t('report.unknownLocation'));
  sheet.fact(t('report.labels.browser'), scan.browser ?? '–');
  sheet.fact(t('report.labels.viewport'), `${SCAN_VIEWPORT.width} × ${SCAN_VIEWPORT.height}, ${SCAN_LOCALE}`);
  sheet.fact(t('report.labels.userAgent'), scannerUserAgent({ version: scan.browser ?? '', contact }));
  sheet.fact(t('report.labels.created'), at(createdAt));
}

function drawSummary(sheet: PdfSheet, { language, summary }: ScanReportPage): void {
  const t = wordsIn(language);
  sheet.heading('H2', t('findings.summary'));
  sheet.paragraph(t('report.summaryText'));
  sheet.table(
    [
      { title: t('scans.state'), share: 3 },
      { title: t('report.columns.cookies'), share: 2 },
      { title: t('report.columns.services'), share: 2 },
      { title: t('cookies.unknown'), share: 2 },
    ],
    summary.map(({ state, tested, cookies, services, open }) => [
      t(`scans.states.${state}`),
      ...(tested
        ? [String(cookies), String(services), String(open)]
        : [t('scans.stateStatuses.not_tested'), '', '']),
    ]),
  );
}

function drawStates(sheet: PdfSheet, { language, states }: ScanReportPage): void {
  const t = wordsIn(language);
  sheet.heading('H2', t('scans.states.title'));
  sheet.paragraph(t('report.statesText'));
  sheet.table(
    [
      { title: t('scans.state'), share: 2.2 },
      { title: t('report.columns.result'), share: 1.6 },
      { title: t('scans.reason'), share: 4 },
      { title: t('report.columns.choice'), share: 2.4 },
      { title: t('scans.views.pages'), share: 1 },
    ],
    states.map(({ state, status, reason, driver, pages }) => [
      t(`scans.states.${state}`),
      t(`scans.stateStatuses.${status === 'tested' || status === 'skipped' ? status : 'not_tested'}`),
      reason === null ? '' : t(`scans.stateReasons.${reason}`),
      driver === null ? '' : t('report.driver', { driver: driver.replace(/^(autoconsent|api):/, '') }),
      String(pages.length),
    ]),
  );
}

function drawFindings(sheet: PdfSheet, { language, findings, moreFindings }: ScanReportPage): void {
  const t = wordsIn(language);
  const words = { language, translate: t as (key: string, values?: object) => string };
  sheet.heading('H2', t('findings.title'));
  sheet.paragraph(t('report.findingsText'));
  if (findings.length === 0) return sheet.paragraph(t('findings.none'));
  sheet.table(
    [
      { title: t('report.columns.certainty'), share: 1.4 },
      { title: t('report.columns.observation'), share: 5.2 },
      { title: t('report.columns.rule'), share: 2.6 },
      { title: t('scans.status'), share: 1.6 },
    ],
    findings.map((finding) => [
      t(`findings.certainties.${finding.certainty}`),
      findingSentence(finding, words),
      FINDING_RULES[finding.kind],
      t(`findings.statuses.${finding.status}`) +
        (finding.acceptedReason === null ? '' : `: ${finding.acceptedReason}`),
    ]),
  );
  if (moreFindings) sheet.paragraph(t('report.moreFindings', { shown: findings.length }));
}

function drawItems(sheet: PdfSheet, { language, items, itemCount }: ScanReportPage): void {
  const t = wordsIn(language);
  sheet.heading('H2', t('report.items'));
  sheet.paragraph(t('report.itemsText'));
  if (items.length === 0) return sheet.paragraph(t('scans.noItems'));
  for (const category of [...SERVICE_CATEGORIES.toReversed(), null]) {
    const listed = items.filter(({ classification }) => classification.category === category);
    if (listed.length === 0) continue;
    const name = category === null ? t('cookies.unknown') : t(`cookies.categories.${category}`);
    sheet.heading('H3', `${name} (${listed.length})`);
    sheet.table(
      [
        { title: t('scans.name'), share: 2.6 },
        { title: t('cookies.kind'), share: 1.6 },
        { title: t('cookies.site'), share: 2.4 },
        { title: t('report.columns.service'), share: 2.6 },
        { title: t('report.columns.lifetime'), share: 1.3 },
        { title: t('cookies.seenIn'), share: 2.2 },
      ],
      listed.map((item) => itemRow(item, t)),
    );
  }
  if (itemCount > items.length)
    sheet.paragraph(t('report.moreItems', { shown: items.length, count: itemCount }));
}

function itemRow(item: ClassifiedItem, t: Words): string[] {
  const { kind, name, host, classification, lifetimeSeconds, sightings } = item;
  const { service, provider, certainty } = classification;
  const by = [...new Set([service, provider].filter((each) => each !== null))].join(', ');
  const lasts =
    kind !== 'cookie'
      ? ''
      : lifetimeSeconds === null
        ? t('scans.session')
        : t('report.days', { days: Math.max(1, Math.round(lifetimeSeconds / DAY_SECONDS)) });
  return [
    name,
    t(`cookies.kinds.${kind}`),
    host,
    certainty === 'guess' ? t('cookies.guess', { name: by }) : by,
    lasts,
    sightings.length === SCAN_STATES.length
      ? t('cookies.allStates')
      : sightings.map(({ state }) => t(`scans.states.${state}`)).join(', '),
  ];
}

function drawPages(sheet: PdfSheet, { language, pages }: ScanReportPage): void {
  const t = wordsIn(language);
  sheet.heading('H2', t('scans.views.pages'));
  sheet.table(
    [
      { title: t('report.columns.number'), share: 0.7 },
      { title: t('scans.address'), share: 5 },
      { title: t('report.columns.result'), share: 1.5 },
      { title: t('scans.reason'), share: 3 },
      { title: t('report.columns.loader'), share: 0.9 },
    ],
    pages
      .slice(0, PAGES_MAX)
      .map(({ number, url, status, reason, httpStatus, loaderFound }) => [
        String(number),
        url,
        t(`scans.pageStatuses.${status}`) +
          (httpStatus !== null && httpStatus >= 400 ? ` (${httpStatus})` : ''),
        reason === null ? '' : t(`scans.pageReasons.${reason}`),
        status === 'visited' ? t('report.loaderFound', { found: loaderFound ? 'yes' : 'no' }) : '',
      ]),
  );
  if (pages.length > PAGES_MAX)
    sheet.paragraph(t('report.morePages', { shown: PAGES_MAX, count: pages.length }));
}

function drawScreenshots(sheet: PdfSheet, { language, screenshots }: ScanReportPage): void {
  const t = wordsIn(language);
  sheet.heading('H2', t('report.screenshots'));
  if (screenshots.length === 0) return sheet.paragraph(t('report.screenshotsDeleted'));
  sheet.paragraph(t('report.screenshotsText'));
  sheet.images(
    screenshots.map(({ state, content }) => ({
      content: Buffer.from(content),
      caption: t(`scans.states.${state}`),
    })),
  );
}

function drawProof(sheet: PdfSheet, { language, scan, statement, serviceUrl }: ScanReportPage): void {
  const t = wordsIn(language);
  sheet.heading('H2', t('report.proof'));
  sheet.fact(t('report.labels.scanId'), scan.id);
  if (!statement) return sheet.paragraph(t('scans.proof.none'));
  const { configHash, items, artifacts } = statement;
  sheet.fact(t('report.labels.configuration'), configHash ?? t('report.noConfiguration'));
  sheet.fact(t('report.labels.items'), t('report.itemsHash', { count: items.count, sha256: items.sha256 }));
  sheet.fact(t('report.labels.artifacts'), t('report.artifactCount', { count: artifacts.length }));
  sheet.fact(
    t('report.labels.rules'),
    Object.entries(statement.rules)
      .map(([name, version]) => `${name} ${version}`)
      .join(', '),
  );
  sheet.paragraph(t('report.proofText'));
  const file = `scan-${scan.id}.tlog-proof`;
  sheet.paragraph(t('report.proofSteps', { file, keysUrl: `${serviceUrl}/.well-known/consent-log-keys` }));
  sheet.paragraph(`node verify.cjs proof ${file} keys.txt`, 'Courier');
}

function hostsOf({ scan }: ScanReportPage): string {
  return [...new Set(scan.urls.map((url) => new URL(url).host))].join(', ');
}

function instant({ language }: ScanReportPage, date: Date): string {
  const text = new Intl.DateTimeFormat(LOCALES[language], {
    ...({ dateStyle: 'medium', timeStyle: 'short' } as const),
    timeZone: 'UTC',
  }).format(date);
  // The fonts of PDF have no narrow space.
  return `${text.replaceAll(' ', ' ')} UTC`;
}
