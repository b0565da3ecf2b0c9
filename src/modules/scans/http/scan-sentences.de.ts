import type { PageReason, ScanReason } from '../domain/scan.js';
import type { StateReason } from '../domain/scan-state.js';

/** Sentences of the PDF report in German. The API has the English ones. */
export const SCAN_SENTENCES_DE: Readonly<Record<ScanReason, string>> = {
  pages_failed: 'Einige Seiten konnten nicht geladen werden.',
  time_limit: 'Der Scan hat sein Zeitlimit erreicht, bevor alle Seiten besucht waren.',
  byte_limit: 'Der Scan hat sein Datenlimit erreicht, bevor alle Seiten besucht waren.',
  unverified_host:
    'Der Loader dieses Projekts wurde auf der Website nicht gefunden. Deshalb wird nur eine Seite pro Tag gescannt. Installieren Sie den Loader und scannen Sie erneut.',
  browser_failed: 'Chromium konnte nicht gestartet werden oder wurde wiederholt beendet.',
  scanner_error: 'Drei Seiten haben Fehler im Scanner ausgelöst. Deshalb hat er den Scan beendet.',
  scanner_stopped:
    'Der Scanner wurde während dieses Scans dreimal beendet und versucht ihn nicht noch einmal.',
  robots_denied: 'Die robots.txt des Hosts lässt den Scanner auf diese Seite nicht zu.',
  host_limit: 'Der Host hat die Höchstzahl der Scans pro Tag erreicht.',
};

export const PAGE_SENTENCES_DE: Readonly<Record<PageReason, string>> = {
  http_error: 'Der Server hat einen Fehler gemeldet.',
  timeout: 'Die Seite wurde nicht rechtzeitig geladen.',
  not_html: 'Die Adresse führt zu keiner Webseite.',
  redirected_outside: 'Die Seite leitet auf einen Host weiter, der nicht zu den Domains des Projekts gehört.',
  blocked_address: 'Der Host führt zu keiner öffentlichen Adresse.',
  unresolved: 'Der Hostname konnte nicht aufgelöst werden.',
  connection_failed: 'Der Server war nicht erreichbar.',
  crashed: 'Der Browser-Tab ist abgestürzt.',
  memory_limit: 'Die Seite brauchte zu viel Arbeitsspeicher.',
  disk_limit: 'Die Seite hat mehr Daten gespeichert, als ein Scan erlaubt.',
  too_large: 'Die Seite hat mehr Daten übertragen, als ein Scan erlaubt.',
  scanner_error: 'Die Seite hat einen Fehler im Scanner ausgelöst.',
  scanner_stopped: 'Der Scanner wurde zweimal beendet, während er diese Seite lud.',
  same_template: 'Andere Seiten mit derselben Vorlage wurden besucht.',
  page_limit: 'Die Seitenzahl pro Scan des Tarifs war erreicht.',
  duplicate: 'Dieselbe Seite wurde unter einer anderen Adresse besucht.',
  unverified_host:
    'Der Loader dieses Projekts wurde auf diesem Host nicht gefunden. Deshalb ist eine Seite pro Tag erlaubt.',
  robots_denied: 'Die robots.txt des Hosts lässt den Scanner auf diese Seite nicht zu.',
  robots_unavailable: 'Der Server lieferte für robots.txt einen Fehler.',
  host_limit: 'Der Host hat die Höchstzahl der Scans pro Tag erreicht.',
  excluded_host: 'Der Betreiber hat diesen Host von Scans ausgenommen.',
  time_limit: 'Der Scan hat sein Zeitlimit erreicht.',
  byte_limit: 'Der Scan hat sein Datenlimit erreicht.',
  scan_ended: 'Der Scan endete, bevor diese Seite besucht wurde.',
};

export const STATE_SENTENCES_DE: Readonly<Record<StateReason, string>> = {
  no_pages: 'Keine Seite wurde geladen.',
  unverified_host:
    'Der Loader dieses Projekts wurde auf dem Host nicht gefunden. Deshalb wird dessen Seite einmal am Tag geladen, und nichts wird angeklickt.',
  no_banner: 'Kein Einwilligungsbanner gefunden.',
  no_control: 'Das Banner hat für diese Wahl keine Schaltfläche, die der Scanner erkennt.',
  no_withdrawal: 'Es wurde nichts gefunden, was das Banner wieder öffnet.',
  click_failed:
    'Die Wahl wurde angeklickt, aber ohne Wirkung: Das Banner blieb, und weder Speicher noch Einwilligungssignale haben sich geändert.',
  asked_again: 'Das Banner fragt auf einer Seite, die nach der Ablehnung geladen wurde, erneut.',
  click_mismatch: 'Der Klick im Banner hatte ein anderes Ergebnis; die Wahl wurde über seine API getroffen.',
  pages_failed: 'Nicht alle Seiten konnten geladen werden.',
  time_limit: 'Das Zeitlimit wurde erreicht.',
  byte_limit: 'Das Limit der übertragenen Daten wurde erreicht.',
  browser_failed: 'Der Browser ließ sich nicht starten oder brach zweimal ab.',
  memory_limit: 'Die Seite brauchte zu viel Arbeitsspeicher.',
  disk_limit: 'Die Seite hat mehr Daten gespeichert, als ein Scan erlaubt.',
  scanner_error: 'Eine Seite hat einen Fehler im Scanner ausgelöst.',
  scanner_stopped: 'Der Scanner brach zweimal ab.',
  scan_ended: 'Der Scan endete vor diesem Zustand.',
  owner_skipped: 'Auf Wunsch ausgelassen.',
};
