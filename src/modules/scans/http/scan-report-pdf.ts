import Pdf from 'pdfkit';
import { PdfSheet, SHEET_OPTIONS } from '../../../platform/pdf/pdf-sheet.js';
import { SERVICE_CATEGORIES } from '../../publishing/domain/configuration.js';
import type { ScanReportPage } from '../application/scan-report-pages.js';
import { SCAN_LOCALE, SCAN_VIEWPORT, scannerUserAgent } from '../domain/scanner.js';
import { FINDING_RULES } from '../domain/finding.js';
import { SCAN_STATES } from '../domain/scan-state.js';
import type { ScanStateView } from '../domain/scan-view.js';
import type { ClassifiedItem } from '../domain/seen-item.js';
import { REPORT_TEXTS, type ReportTexts } from './scan-report-texts.js';

const PAGES_MAX = 200;
const DAY_SECONDS = 86_400;
const LOCALES = { en: 'en-US', de: 'de-DE' } as const;

/** A report of a scan for people, tagged for screen readers. What proves the scan is its proof file. */
export function drawScanReport(page: ScanReportPage): PDFKit.PDFDocument {
  const texts = REPORT_TEXTS[page.language];
  const title = texts.title(hostsOf(page));
  const document = new Pdf({
    ...SHEET_OPTIONS,
    lang: page.language,
    info: { Title: title, CreationDate: page.createdAt },
  });
  const sheet = new PdfSheet(document, texts);
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
  const { labels, ...texts } = REPORT_TEXTS[page.language];
  const at = (date: Date | null): string => (date === null ? '–' : instant(page, date));
  sheet.heading('H1', title);
  sheet.paragraph(texts.intro);
  sheet.fact(labels.project, projectName);
  sheet.fact(labels.addresses, scan.urls.join(', '));
  const reason = scan.reason === null ? '' : `: ${texts.scanReasons[scan.reason]}`;
  sheet.fact(labels.status, texts.scanStatuses[scan.status] + reason);
  sheet.fact(labels.time, `${at(scan.startedAt)} – ${at(scan.endedAt)}`);
  sheet.fact(labels.pages, texts.pageCounts(scan.pages));
  sheet.fact(labels.location, region ?? texts.unknownLocation);
  sheet.fact(labels.browser, scan.browser ?? '–');
  sheet.fact(labels.viewport, `${SCAN_VIEWPORT.width} × ${SCAN_VIEWPORT.height}, ${SCAN_LOCALE}`);
  sheet.fact(labels.userAgent, scannerUserAgent({ version: scan.browser ?? '', contact }));
  sheet.fact(labels.created, at(createdAt));
}

function drawSummary(sheet: PdfSheet, { language, summary }: ScanReportPage): void {
  const { columns, ...texts } = REPORT_TEXTS[language];
  sheet.heading('H2', texts.headings.summary);
  sheet.paragraph(texts.summary);
  sheet.table(
    [
      { title: columns.state, share: 3 },
      { title: columns.cookies, share: 2 },
      { title: columns.services, share: 2 },
      { title: columns.unknown, share: 2 },
    ],
    summary.map(({ state, tested, cookies, services, open }) => [
      texts.states[state],
      ...(tested
        ? [String(cookies), String(services), String(open)]
        : [texts.stateStatuses.not_tested, '', '']),
    ]),
  );
}

function drawStates(sheet: PdfSheet, { language, states }: ScanReportPage): void {
  const texts = REPORT_TEXTS[language];
  const { columns } = texts;
  sheet.heading('H2', texts.headings.states);
  sheet.paragraph(texts.statesText);
  sheet.table(
    [
      { title: columns.state, share: 2.2 },
      { title: columns.result, share: 1.6 },
      { title: columns.reason, share: 4 },
      { title: columns.choice, share: 2.4 },
      { title: columns.pages, share: 1 },
    ],
    states.map(({ state, status, reason, driver, pages }) => [
      texts.states[state],
      texts.stateStatuses[status],
      reason === null ? '' : texts.stateReasons[reason],
      driverIn(texts, driver),
      String(pages.length),
    ]),
  );
}

function driverIn({ drivers }: ReportTexts, driver: ScanStateView['driver']): string {
  if (driver === null) return '';
  return driver === 'own' || driver === 'heuristic'
    ? drivers[driver]
    : drivers.named(driver.replace(/^(autoconsent|api):/, ''));
}

function drawFindings(sheet: PdfSheet, { language, findings, moreFindings }: ScanReportPage): void {
  const { columns, ...texts } = REPORT_TEXTS[language];
  sheet.heading('H2', texts.headings.findings);
  sheet.paragraph(texts.findingsText);
  if (findings.length === 0) return sheet.paragraph(texts.none);
  sheet.table(
    [
      { title: columns.certainty, share: 1.4 },
      { title: columns.observation, share: 5.2 },
      { title: columns.rule, share: 2.6 },
      { title: columns.status, share: 1.6 },
    ],
    findings.map((finding) => [
      texts.certainties[finding.certainty],
      texts.findings(finding),
      FINDING_RULES[finding.kind],
      texts.statuses[finding.status] + (finding.acceptedReason === null ? '' : `: ${finding.acceptedReason}`),
    ]),
  );
  if (moreFindings) sheet.paragraph(texts.moreFindings(findings.length));
}

function drawItems(sheet: PdfSheet, { language, items, itemCount }: ScanReportPage): void {
  const texts = REPORT_TEXTS[language];
  const { columns } = texts;
  sheet.heading('H2', texts.headings.items);
  sheet.paragraph(texts.itemsText);
  if (items.length === 0) return sheet.paragraph(texts.none);
  for (const category of [...SERVICE_CATEGORIES.toReversed(), null]) {
    const listed = items.filter(({ classification }) => classification.category === category);
    if (listed.length === 0) continue;
    sheet.heading('H3', `${texts.categories[category ?? 'unknown']} (${listed.length})`);
    sheet.table(
      [
        { title: columns.name, share: 2.6 },
        { title: columns.kind, share: 1.6 },
        { title: columns.site, share: 2.4 },
        { title: columns.service, share: 2.6 },
        { title: columns.lifetime, share: 1.3 },
        { title: columns.seenIn, share: 2.2 },
      ],
      listed.map((item) => itemRow(item, texts)),
    );
  }
  if (itemCount > items.length) sheet.paragraph(texts.moreItems(items.length, itemCount));
}

function itemRow(item: ClassifiedItem, texts: ReportTexts): string[] {
  const { kind, name, host, classification, lifetimeSeconds, sightings } = item;
  const { service, provider, certainty } = classification;
  const by = [...new Set([service, provider].filter((each) => each !== null))].join(', ');
  const lasts =
    kind !== 'cookie'
      ? ''
      : lifetimeSeconds === null
        ? texts.session
        : texts.days(Math.max(1, Math.round(lifetimeSeconds / DAY_SECONDS)));
  return [
    name,
    texts.kinds[kind],
    host,
    certainty === 'guess' ? texts.guessed(by) : by,
    lasts,
    sightings.length === SCAN_STATES.length
      ? texts.allStates
      : sightings.map(({ state }) => texts.states[state]).join(', '),
  ];
}

function drawPages(sheet: PdfSheet, { language, pages }: ScanReportPage): void {
  const { columns, ...texts } = REPORT_TEXTS[language];
  sheet.heading('H2', texts.headings.pages);
  sheet.table(
    [
      { title: columns.number, share: 0.7 },
      { title: columns.address, share: 5 },
      { title: columns.result, share: 1.5 },
      { title: columns.reason, share: 3 },
      { title: columns.loader, share: 0.9 },
    ],
    pages
      .slice(0, PAGES_MAX)
      .map(({ number, url, status, reason, httpStatus, loaderFound }) => [
        String(number),
        url,
        texts.pageStatuses[status] + (httpStatus !== null && httpStatus >= 400 ? ` (${httpStatus})` : ''),
        reason === null ? '' : texts.pageReasons[reason],
        status === 'visited' ? (loaderFound ? texts.yes : texts.no) : '',
      ]),
  );
  if (pages.length > PAGES_MAX) sheet.paragraph(texts.morePages(PAGES_MAX, pages.length));
}

function drawScreenshots(sheet: PdfSheet, { language, screenshots }: ScanReportPage): void {
  const texts = REPORT_TEXTS[language];
  sheet.heading('H2', texts.headings.screenshots);
  if (screenshots.length === 0) return sheet.paragraph(texts.screenshotsDeleted);
  sheet.paragraph(texts.screenshotsText);
  sheet.images(
    screenshots.map(({ state, content }) => ({
      content: Buffer.from(content),
      caption: texts.states[state],
    })),
  );
}

function drawProof(sheet: PdfSheet, { language, scan, statement, serviceUrl }: ScanReportPage): void {
  const { labels, ...texts } = REPORT_TEXTS[language];
  sheet.heading('H2', texts.headings.proof);
  sheet.fact(labels.scanId, scan.id);
  if (!statement) return sheet.paragraph(texts.noProof);
  sheet.fact(labels.configuration, statement.configHash ?? texts.noConfiguration);
  sheet.fact(labels.items, texts.itemsHash(statement.items.count, statement.items.sha256));
  sheet.fact(labels.artifacts, texts.artifacts(statement.artifacts.length));
  sheet.fact(
    labels.rules,
    Object.entries(statement.rules)
      .map(([name, version]) => `${name} ${version}`)
      .join(', '),
  );
  sheet.paragraph(texts.proofText);
  const file = `scan-${scan.id}.tlog-proof`;
  sheet.paragraph(texts.proofSteps(file, `${serviceUrl}/.well-known/consent-log-keys`));
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
