"""Words of calendars: months, days of the week, and how pages say that they are those of a day."""

import re

# One line a language, months and then days: English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish,
# Danish and Norwegian, Finnish, Polish (both cases), Czech, Hungarian, Romanian, Turkish, Greek, Russian, Ukrainian.
_WORDS = """
january february march april may june july august september october november december monday tuesday wednesday thursday friday saturday sunday jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun
januar februar märz april mai juni juli august september oktober november dezember montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag jänner
janvier février mars avril mai juin juillet août septembre octobre novembre décembre lundi mardi mercredi jeudi vendredi samedi dimanche
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes miércoles jueves viernes sábado domingo
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre lunedì martedì mercoledì giovedì venerdì sabato domenica
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro segunda-feira terça-feira quarta-feira quinta-feira sexta-feira
januari februari maart april mei juni juli augustus september oktober november december maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
mars augusti måndag tisdag onsdag torsdag fredag lördag söndag
marts maj mandag tirsdag onsdag lørdag søndag desember
tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu marraskuu joulukuu maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai
styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia poniedziałek wtorek środa czwartek piątek sobota niedziela
leden únor březen duben květen červen červenec srpen září říjen listopad prosinec ledna února března dubna května června července srpna října listopadu prosince pondělí úterý středa čtvrtek pátek sobota neděle
január február március április május június július augusztus szeptember október november december hétfő kedd szerda csütörtök péntek szombat vasárnap
ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie luni marți miercuri joi vineri sâmbătă duminică
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık pazartesi salı çarşamba perşembe cuma cumartesi pazar
ιανουάριος φεβρουάριος μάρτιος απρίλιος μάιος ιούνιος ιούλιος αύγουστος σεπτέμβριος οκτώβριος νοέμβριος δεκέμβριος ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου δευτέρα τρίτη τετάρτη πέμπτη παρασκευή σάββατο κυριακή
январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь января февраля марта апреля мая июня июля августа сентября октября ноября декабря понедельник вторник среда четверг пятница суббота воскресенье
січень лютий березень квітень травень червень липень серпень вересень жовтень листопад грудень січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня понеділок вівторок середа четвер п'ятниця субота неділя
"""  # noqa: E501 (a line a language)
CALENDAR = frozenset(_WORDS.split())

_CALLED = 9  # words of a name at most
#: What a page is called that says something else tomorrow.
_CHANGES = re.compile(
    r"(?<!\w)(?:of the (?:day|week|month|hour|moment)|today(?:'s)?|tonight|daily|latest|current|upcoming|trending"
    r"|right now|now (?:on|playing|showing)|on air|this (?:week|month|weekend)|what's (?:on|new)|weekly"
    r"|des tages|der woche|des monats|heute|heutige\w*|aktuell\w*|neueste\w*|diese woche|täglich\w*|jetzt (?:im|läuft)"
    r"|du jour|de la semaine|du mois|aujourd'hui|en ce moment|cette semaine|actuellement|quotidien\w*"
    r"|del día|de la semana|del mes|hoy|esta semana|últim[oa]s|actuales|en este momento"
    r"|del giorno|della settimana|del mese|oggi|ultime|questa settimana|in onda"
    r"|do dia|da semana|do mês|hoje|nesta semana|agora no"
    r"|van de (?:dag|week|maand)|vandaag|actuele?|laatste|deze week"
    r"|dagens|veckans|månadens|idag|senaste|ukens|ugens|månedens|i dag|seneste|siste|nå på lufta"
    r"|päivän|viikon|kuukauden|tänään|uusimmat|nyt soi"
    r"|dnia|tygodnia|miesiąca|dziś|dzisiaj|najnowsz\w+|teraz gramy|dne|týdne|měsíce|dnes\w*|aktuální|nejnovější"
    r"|a nap|a hét|mai|napi|legfrissebb|zilei|săptămânii|astăzi|günün|haftanın|bugün\w*|güncel|son dakika"
    r"|της ημέρας|της εβδομάδας|σήμερα|дня|недели|месяца|сегодня|последние|сейчас|тижня|сьогодні|останні|днес|на деня"
    r"|oggi in|danas|dana|tjedna|hari ini|minggu ini|hôm nay)(?!\w)"
    r"|今日|本日|今週|毎日|最新|每日|今天|本周|오늘|이번 주|اليوم|היום|วันนี้"
)


def says_that_it_changes(name: str) -> bool:
    """Whether a page is called after the day, the week, or what is on just now.

    >>> says_that_it_changes("Dish of the day"), says_that_it_changes("Our dishes")
    (True, False)
    """
    told = name.lower().replace("’", "'")
    return told.count(" ") < _CALLED and bool(_CHANGES.search(told))


def has_date(text: str) -> bool:
    """Whether a line names a month or a day of the week beside a number.

    >>> has_date("3. November, Orgelkonzert"), has_date("3 apples")
    (True, False)
    """
    words = [word.strip(".,:;()") for word in text.lower().split()]
    return any(word in CALENDAR for word in words) and any(map(str.isdigit, text))
