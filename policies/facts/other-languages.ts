// Reads retry times in texts that are not English: `请在 2 小时后重试`, `3時間後に`, `inténtelo de nuevo en 5 minutos`.

import type { Clock } from './clock.ts';
import { type Point, pointAt } from './point-in-time.ts';

/** The zone in which a service writes its times if it names none; null if the text does not identify the service. */
export function serviceZone(texts: readonly string[]): string | null {
  return ZONES.find(([mark]) => texts.some((text) => mark.test(text)))?.[1] ?? null;
}

/** Kana and hangul come first, because Japanese and Korean texts may contain Chinese characters too. */
const ZONES: readonly (readonly [RegExp, string])[] = [
  [/[\u3040-\u30ff]/, 'Asia/Tokyo'],
  [/[\uac00-\ud7af]/, 'Asia/Seoul'],
  [/[\u4e00-\u9fff]/, 'Asia/Shanghai'],
  // Z.ai also writes Beijing time in English; its codes for limits are 1300 to 1313.
  [/["'](?:code|type)\\?["']\s{0,2}:\s{0,2}\\?["']13(?:0\d|1[0-3])\\?["']|\[13(?:0\d|1[0-3])\]/, 'Asia/Shanghai'],
  [/\bapi\.z\.ai\b|\bbigmodel\.cn\b|\bvolces\.com\b|\baliyuncs\.com\b/, 'Asia/Shanghai'],
];

/** Waits in milliseconds. */
export const foreignWaits = (text: string): number[] =>
  [...EAST_ASIAN, ...EUROPEAN].flatMap((form) => waitsBy(form, text));

interface WaitForm {
  /** Group 1 is the whole wait. */
  pattern: RegExp;
  part: RegExp;
  unitMs(unit: string): number;
  /** Must occur in the text: without it, the wait may be the length of a limit. */
  cue?: RegExp;
}

function waitsBy({ pattern, part, unitMs, cue }: WaitForm, text: string): number[] {
  if (cue !== undefined && !cue.test(text)) return [];
  return [...text.matchAll(pattern)].slice(0, MOST).map(({ 1: wait }) => {
    const parts = [...wait!.matchAll(part)];
    return parts.reduce((sum, { 1: count, 2: unit }) => sum + Number(count) * unitMs(unit!), 0);
  });
}

const MOST = 20;

const EAST_UNIT =
  '秒钟|秒鐘|秒間|秒|분|분간|초|分钟|分鐘|分間|分|个小时|個小時|小时|小時|時間|시간|日間|天|日|일|个星期|周|週間|週|주';
const EAST_PART = `\\d{1,6}(?:\\.\\d{1,3})?\\s{0,2}(?:${EAST_UNIT})`;
const EAST_WAIT = `((?:${EAST_PART}[\\s、,，]{0,2}){1,4})`;
const EAST = {
  part: new RegExp(`(\\d{1,6}(?:\\.\\d{1,3})?)\\s{0,2}(${EAST_UNIT})`, 'g'),
  unitMs: (unit: string) =>
    /^[秒초]/.test(unit)
      ? 1000
      : /^[分분]/.test(unit)
        ? 60_000
        : /[时時]|시간/.test(unit)
          ? 3_600_000
          : /[周週주]|星期/.test(unit)
            ? 604_800_000
            : 86_400_000,
};
const EAST_ASIAN: readonly WaitForm[] = [
  { ...EAST, pattern: new RegExp(`${EAST_WAIT}(?:之后|之後|以后|以後|后|後|뒤|후|내에)`, 'g') },
  { ...EAST, pattern: new RegExp(`(?:等待|等候|稍等)[\\s约]{0,3}${EAST_WAIT}`, 'g') },
  { ...EAST, pattern: new RegExp(`${EAST_WAIT}(?:お待ち|待って|기다려)`, 'g') },
];

const WEST_UNIT =
  'segundos?|secondes?|sekunden?|секунд[уы]?|minut[oea]s?|minuten?|минут[уы]?|horas?|heures?|stunden?|час(?:а|ов)?|d[ií]as?|jours?|tage?n?|д(?:ень|ня|ней)';
const EUROPEAN: readonly WaitForm[] = [
  {
    pattern: new RegExp(
      `(?<![\\p{L}])(?:dentro de|en|em|dans|in|nach|après|через)\\s{1,3}((?:\\d{1,6}\\s{1,3}(?:${WEST_UNIT})(?![\\p{L}])(?:,? (?:y|e|et|und|и) |,? ?)?){1,4})`,
      'giu',
    ),
    part: new RegExp(`(\\d{1,6})\\s{1,3}(${WEST_UNIT})`, 'giu'),
    unitMs: (unit) =>
      /^(?:se|секунд)/i.test(unit)
        ? 1000
        : /^(?:min|минут)/i.test(unit)
          ? 60_000
          : /^(?:h|st|час)/i.test(unit)
            ? 3_600_000
            : 86_400_000,
    cue: /int[eé]nt|vuelv|reintent|restablec|tent[ea]|redefin|réess|réinitialis|versuch|erneut|wieder|zurückgesetzt|повтор|попроб|сброс/i,
  },
];

/** Dates and hours near a word for a reset, which may come before or after them. */
export function foreignPoints(text: string, clock: Clock): Point[] {
  if (!RESET.test(text)) return [];
  return text
    .split(/[。；！？;!\n]/)
    .filter((sentence) => RESET.test(sentence))
    .flatMap((sentence) => {
      const plain = sentence
        .replace(/(\d{4})年\s?(\d{1,2})月\s?(\d{1,2})日/g, (_all, y, m, d) => `${y}-${pad(m)}-${pad(d)} `)
        .replace(/(\d{1,2})\s?[时時点]\s?(?:(\d{1,2})分)?(?![间間])/g, (_all, h, m) => `${pad(h)}:${pad(m ?? '0')}`);
      return [...plain.matchAll(START)].slice(0, MOST).flatMap(({ index }) => pointAt(plain, index, clock) ?? []);
    });
}

const pad = (digits: string): string => digits.padStart(2, '0');

const RESET = /重置|重設|恢复|恢復|刷新|解除|解封|重试|重試|再试|再試|リセット|再開|回復|초기화|재설정|다시/;

const START = /\d{4}[-/]\d{1,2}[-/]|(?<![\d:.T-]|\d{4}-\d\d-\d\d\s{1,2})\d{1,2}:\d\d/g;
