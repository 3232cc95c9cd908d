package main

func rivalsPage(runs []*rivalRun) string { return "" }
